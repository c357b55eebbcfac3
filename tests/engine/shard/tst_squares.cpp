// What a global norm is made of.
#include "engine/shard/squares.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>

#include <QtTest>

class SquaresTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aShardOfManyPieces()
    {
        constexpr double kCount = 700001;  // 0² + 1² + … in float64, where each square fits, and not in float32
        QCOMPARE(engine::sumOfSquares(at::arange(static_cast<std::int64_t>(kCount), at::kFloat)),
            (kCount - 1) * kCount * (2 * kCount - 1) / 6);
    }

    void allShardsAtOnce()
    {
        const at::Tensor sum = engine::sumOfSquares({at::arange(1000, at::kFloat), at::full({7}, -3.0F), at::full({40000}, 0.5F)});
        QCOMPARE(sum.scalar_type(), at::kDouble);
        QCOMPARE(sum.dim(), std::int64_t {0});
        QVERIFY(qAbs(sum.item<double>() / (999 * 1000 * 1999 / 6.0 + 63 + 10000) - 1) < 1e-6);
    }

    void whatIsNotFiniteStaysSo()
    {
        const at::Tensor broken = at::full({9}, 1.0F);
        broken[4] = std::numeric_limits<float>::quiet_NaN();
        QVERIFY(!std::isfinite(engine::sumOfSquares(broken)));
        QVERIFY(!std::isfinite(engine::sumOfSquares({at::full({3}, 1.0F), broken}).item<double>()));
    }
};

QTEST_GUILESS_MAIN(SquaresTest)
#include "tst_squares.moc"
