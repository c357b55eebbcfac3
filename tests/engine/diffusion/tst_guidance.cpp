// Guidance: what training needs of it beside the values, which goldens prove.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/diffusion/guidance.h"

#include <QtTest>

using engine::Guidance;

class GuidanceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { at::set_num_threads(1); }

    void aScaleOfOneOrLessIsOff_A050_A051()
    {
        QVERIFY(!engine::GuidanceOptions({Guidance::Classifier, 1}).usesNegative());
        QVERIFY(!engine::GuidanceOptions({Guidance::ClassifierRescaled, 0.5}).usesNegative());
        QVERIFY(engine::GuidanceOptions({Guidance::Classifier, 1.5}).usesNegative());
        QVERIFY(!engine::GuidanceOptions({Guidance::Distilled, 3.5}).usesNegative());
    }

    void eachTokenKeepsItsNorm_A051()
    {
        const at::Tensor positive = at::randn({2, 3, 4, 6}), negative = at::randn({2, 3, 4, 6});
        const at::Tensor guided = engine::guided(positive, negative, {Guidance::ClassifierRescaled, 4});
        const auto normOf = [](const at::Tensor& x, std::int64_t y0, std::int64_t x0) { return x.narrow(2, y0, 2).narrow(3, x0, 2).flatten(1).norm(2, {1}); };
        const at::Tensor plain = engine::guided(positive, negative, {Guidance::Classifier, 4});
        for (const std::int64_t y : {0, 2}) {
            for (const std::int64_t x : {0, 2, 4}) {
                QVERIFY(at::allclose(normOf(guided, y, x), normOf(positive, y, x), 1e-5, 1e-5));
                QVERIFY(at::allclose(engine::tokenNorms(positive).select(2, y).select(2, x + 1).squeeze(1), normOf(positive, y, x), 1e-5, 1e-6));
            }
        }
        QVERIFY(at::allclose(guided / plain, (guided / plain).narrow(1, 0, 1).expand_as(plain), 1e-4, 1e-4));
    }

    void aNormOfZeroDoesNotDivide_A051()
    {
        at::Tensor positive = at::randn({1, 2, 2, 4}), negative = at::randn({1, 2, 2, 4});
        negative.narrow(3, 0, 2).copy_(positive.narrow(3, 0, 2) * 2);  // with scale 2 the combination is 0
        positive.narrow(3, 2, 2).zero_();
        negative.narrow(3, 2, 2).zero_();
        positive.requires_grad_();
        negative.requires_grad_();
        const at::Tensor guided = engine::guided(positive, negative, {Guidance::ClassifierRescaled, 2});
        QCOMPARE(guided.abs().max().item<double>(), 0.0);
        guided.sum().backward();
        QVERIFY(positive.grad().isfinite().all().item<bool>());
        QVERIFY(negative.grad().isfinite().all().item<bool>());
    }

    void bothPassesGetGradients_A053_data()
    {
        QTest::addColumn<int>("kind");
        QTest::newRow("A-053 plain") << static_cast<int>(Guidance::Classifier);
        QTest::newRow("A-053 rescaled") << static_cast<int>(Guidance::ClassifierRescaled);
    }
    void bothPassesGetGradients_A053()
    {
        QFETCH(int, kind);
        const engine::GuidanceOptions options {static_cast<Guidance>(kind), 2.5};
        at::Tensor positive = at::randn({2, 3, 2, 2}, at::kDouble).requires_grad_(), negative = at::randn({2, 3, 2, 2}, at::kDouble).requires_grad_();
        const at::Tensor weights = at::randn({2, 3, 2, 2}, at::kDouble);
        const auto loss = [&](const at::Tensor& p, const at::Tensor& n) { return (engine::guided(p, n, options) * weights).sum(); };
        loss(positive, negative).backward();
        const at::Tensor along = at::randn({2, 3, 2, 2}, at::kDouble) * 1e-5, p = positive.detach(), n = negative.detach();
        const auto slope = [](const at::Tensor& up, const at::Tensor& down) { return (up - down).item<double>() / 2; };
        QVERIFY(std::abs(slope(loss(p + along, n), loss(p - along, n)) - (positive.grad() * along).sum().item<double>()) < 1e-9);
        QVERIFY(std::abs(slope(loss(p, n + along), loss(p, n - along)) - (negative.grad() * along).sum().item<double>()) < 1e-9);
        QVERIFY(negative.grad().abs().max().item<double>() > 0);
    }

    /// Combining x_0 = x - σ v of both passes, and going back to a velocity.
    void combiningCleanLatentsIsTheSame_A050()
    {
        const at::Tensor x = at::randn({2, 3, 4, 4}), positive = at::randn({2, 3, 4, 4}), negative = at::randn({2, 3, 4, 4});
        const double sigma = 0.6, scale = 3;
        const at::Tensor cleanPositive = x - positive * sigma, cleanNegative = x - negative * sigma;
        const at::Tensor clean = cleanNegative + (cleanPositive - cleanNegative) * scale;
        QVERIFY(at::allclose(engine::guided(positive, negative, {Guidance::Classifier, scale}), (x - clean) / sigma, 1e-4, 1e-5));
    }

    void aRowIsTheSameInEveryBatch_A051()
    {
        const at::Tensor positive = at::randn({5, 16, 62, 38}), negative = at::randn({5, 16, 62, 38});
        at::set_num_threads(4);
        const at::Tensor all = engine::guided(positive, negative, {Guidance::ClassifierRescaled, 4});
        at::set_num_threads(1);
        for (std::int64_t row = 0; row < 5; ++row) {
            const auto only = [row](const at::Tensor& values) { return values.narrow(0, row, 1).clone(); };
            QVERIFY(at::equal(engine::guided(only(positive), only(negative), {Guidance::ClassifierRescaled, 4}), only(all)));
        }
    }
};

QTEST_GUILESS_MAIN(GuidanceTest)
#include "tst_guidance.moc"
