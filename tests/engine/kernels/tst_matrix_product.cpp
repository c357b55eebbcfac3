// Matrix products into existing memory equal the float64 product of the same numbers, rounded once.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include "engine/kernels/cpu/amx_product.h"
#include "engine/kernels/cpu/matrix_product.h"
#include "engine/kernels/cpu/vector.h"
#include "engine/kernels/matrix_product.h"
#include "tests/engine/kernels/kernel_check.h"

#include <QtTest>

#include <limits>
#include <thread>

using tests::random;

namespace {

at::Tensor exact(const at::Tensor& tensor) { return tensor.to(at::kDouble); }

/// @param terms the number of terms of each sum; they are about 1
void compare(const at::Tensor& actual, const at::Tensor& expected, std::int64_t terms)
{
    // Half a unit in the last place of bfloat16, or of float32 for each addition in the worst order, plus the sum's rounding.
    const double relative = actual.scalar_type() == at::kBFloat16 ? 1.0 / 256 : 1e-6;
    const double absolute = 2e-6 * static_cast<double>(terms);
    const at::Tensor excess = (exact(actual) - expected).abs() - expected.abs() * relative - absolute;
    QVERIFY2(at::isfinite(actual).all().item<bool>() && excess.max().item<double>() <= 0,
        qPrintable(QStringLiteral("off by %1 more than rounding").arg(excess.max().item<double>())));
}

/// Sets LibTorch's number of threads for a scope.
class Threads {
public:
    explicit Threads(int count) { at::set_num_threads(count); }
    ~Threads() { at::set_num_threads(1); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;
};

}  // namespace

class MatrixProductTest : public QObject {
    Q_OBJECT

    static at::ScalarType dtype()
    {
        QFETCH(bool, isHalf);
        return isHalf ? at::kBFloat16 : at::kFloat;
    }

    static void eachDtype()
    {
        QTest::addColumn<bool>("isHalf");
        QTest::newRow("float32") << false;
        QTest::newRow("bfloat16") << true;
    }

    /// Multiplies [m, k] and [k, n] in every combination of row-major and column-major, into a part of a wider matrix.
    static void checkAll(std::int64_t m, std::int64_t k, std::int64_t n, at::ScalarType dtype)
    {
        constexpr std::int64_t kBefore = 3, kBehind = 2;
        const at::Tensor left = random({m, k}, dtype), right = random({k, n}, dtype), bias = random({n}, dtype);
        const at::Tensor wideLeft = random({m, k + 5}, dtype), wideRight = random({k, n + 7}, dtype);
        wideLeft.narrow(1, 1, k).copy_(left);
        wideRight.narrow(1, 1, n).copy_(right);
        const at::Tensor product = at::matmul(exact(left), exact(right));
        for (const at::Tensor& a : {left, left.t().contiguous().t(), wideLeft.narrow(1, 1, k)}) {
            for (const at::Tensor& b : {right, right.t().contiguous().t(), wideRight.narrow(1, 1, n)}) {
                const at::Tensor wide = random({m, kBefore + n + kBehind}, dtype), out = wide.narrow(1, kBefore, n), before = wide.clone();
                engine::multiply(out, a, b, true);
                compare(out, product + exact(before.narrow(1, kBefore, n)), k);
                engine::multiply(out, a, b, false);
                compare(out, product, k);
                engine::multiplyAddBias(out, a, b.t(), bias);
                compare(out, product + exact(bias), k);
                QVERIFY(at::equal(wide.narrow(1, 0, kBefore), before.narrow(1, 0, kBefore)));
                QVERIFY(at::equal(wide.narrow(1, kBefore + n, kBehind), before.narrow(1, kBefore + n, kBehind)));
            }
        }
    }

private Q_SLOTS:
    void init() { at::manual_seed(7); }

    /// Sizes that are and are not multiples of the tiles of 8 rows and 48 columns and of the terms.
    void productsOfAnySize_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        QTest::addColumn<bool>("isHalf");
        for (const int rows : {7, 8, 9, 16, 17, 20, 23}) {
            for (const int columns : {1, 15, 16, 31, 48, 49, 150}) {
                QTest::addRow("float32, %d rows, %d columns", rows, columns) << rows << columns << false;
                QTest::addRow("bfloat16, %d rows, %d columns", rows, columns) << rows << columns << true;
            }
        }
    }
    void productsOfAnySize()
    {
        QFETCH(int, rows);
        QFETCH(int, columns);
        for (const std::int64_t inner : {1, 8, 17, 32, 33, 78})
            checkAll(rows, inner, columns, dtype());
    }

    /// Larger than the blocks that are packed at a time.
    void largeProducts_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("inner");
        QTest::addColumn<int>("columns");
        QTest::addColumn<bool>("isHalf");
        for (const bool isHalf : {false, true}) {
            const char* const dtype = isHalf ? "bfloat16" : "float32";
            QTest::addRow("%s, rows", dtype) << 1035 << 34 << 50 << isHalf;
            QTest::addRow("%s, inner dimension, odd", dtype) << 19 << 3073 << 100 << isHalf;
            QTest::addRow("%s, inner dimension, even", dtype) << 19 << 6150 << 100 << isHalf;
            QTest::addRow("%s, rows of a long inner dimension", dtype) << 300 << 9000 << 40 << isHalf;
            QTest::addRow("%s, columns", dtype) << 40 << 34 << 1000 << isHalf;
        }
    }
    void largeProducts()
    {
        QFETCH(int, rows);
        QFETCH(int, inner);
        QFETCH(int, columns);
        checkAll(rows, inner, columns, dtype());
    }

    /// Bit for bit, since the order of each sum does not depend on the number of threads.
    void threadsShareProducts_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        QTest::addColumn<bool>("isHalf");
        for (const bool isHalf : {false, true}) {
            const char* const dtype = isHalf ? "bfloat16" : "float32";
            QTest::addRow("%s, many columns", dtype) << 40 << 1000 << isHalf;
            QTest::addRow("%s, many rows", dtype) << 1000 << 40 << isHalf;
            QTest::addRow("%s, both", dtype) << 300 << 200 << isHalf;
        }
    }
    void threadsShareProducts()
    {
        QFETCH(int, rows);
        QFETCH(int, columns);
        const at::Tensor left = random({rows, 70}, dtype()), weight = random({columns, 70}, dtype()), bias = random({columns}, dtype());
        const auto run = [&](int threads) {
            const Threads scope(threads);
            const at::Tensor out = at::empty({rows, columns}, dtype());
            engine::multiplyAddBias(out, left, weight, bias);
            return out;
        };
        const at::Tensor alone = run(1);
        compare(alone, at::matmul(exact(left), exact(weight).t()) + exact(bias), 70);
        namespace cpu = engine::cpu;
        const bool isOurs = dtype() == at::kFloat ? cpu::hasMatrixProducts<float>() : cpu::hasMatrixProducts<cpu::BFloat16>();
        for (const int threads : {2, 3, 7, 16}) {
            const at::Tensor shared = run(threads);
            if (isOurs)
                QVERIFY(at::equal(shared, alone));
            else
                compare(shared, exact(alone), 70);
        }
    }

    /// Encoders multiply within inference, training after it.
    void inferenceLeavesNothingBehind_data() { eachDtype(); }
    void inferenceLeavesNothingBehind()
    {
        const at::Tensor left = random({40, 70}, dtype()), right = random({70, 30}, dtype()), out = at::empty({40, 30}, dtype());
        std::thread([&] {
            {
                const c10::InferenceMode inference;
                engine::multiply(at::empty({40, 30}, dtype()), left, right, false);
            }
            engine::multiply(out, left, right, false);
        }).join();
        compare(out, at::matmul(exact(left), exact(right)), 70);
    }

    /// Processors with AMX multiply bfloat16 by it, so that only this test runs the instructions of those without.
    void vectorsComputeTheSameAsTiles_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("inner");
        QTest::addColumn<int>("columns");
        QTest::newRow("whole tiles") << 64 << 64 << 96;
        QTest::newRow("parts of tiles") << 37 << 72 << 53;
        QTest::newRow("a long inner dimension") << 300 << 9000 << 40;
    }
    void vectorsComputeTheSameAsTiles()
    {
        namespace cpu = engine::cpu;
        if (!cpu::hasAmx())
            QSKIP("This processor has no AMX: the other tests run what there is.");
        QFETCH(int, rows);
        QFETCH(int, inner);
        QFETCH(int, columns);
        const at::Tensor left = random({rows, inner}, at::kBFloat16), right = random({inner, columns}, at::kBFloat16);
        const at::Tensor expected = at::matmul(exact(left), exact(right));
        for (const at::Tensor& a : {left, left.t().contiguous().t()}) {
            for (const at::Tensor& b : {right, right.t().contiguous().t()}) {
                const auto matrix = [](const at::Tensor& m) {
                    return cpu::StridedMatrix<cpu::BFloat16> {static_cast<const cpu::BFloat16*>(m.const_data_ptr()), m.stride(0), m.stride(1)};
                };
                for (const bool byVectors : {false, true}) {
                    const at::Tensor out = at::empty({rows, columns}, at::kBFloat16);
                    const cpu::MatrixProduct<cpu::BFloat16> product {
                        rows, columns, inner, matrix(a), matrix(b), static_cast<cpu::BFloat16*>(out.data_ptr()), columns};
                    byVectors ? cpu::multiplyByVectors(product) : cpu::multiply(product);
                    compare(out, expected, inner);
                }
            }
        }
    }

    /// Each product of a batch, among them those that end in the middle of a tile.
    void productsOfABatch_data() { eachDtype(); }
    void productsOfABatch()
    {
        for (const std::int64_t size : {8, 16, 20, 40}) {
            const at::Tensor left = random({5, 3, size, size + 3}, dtype()), right = random({5, 3, size + 9, size + 3}, dtype()),
                             out = at::empty({5, 3, size, size + 9}, dtype());
            engine::multiplyEach(out, left, right.mT());
            compare(out, at::matmul(exact(left), exact(right).mT()), size);
            const at::Tensor back = at::empty({5, 3, size + 3, size + 9}, dtype());
            engine::multiplyEach(back, left.mT(), out);
            compare(back, at::matmul(exact(left).mT(), exact(out)), 8 * size);
        }
    }

    /// Heads that lie side by side in the rows of a projection, as operands and as results; their neighbours stay as they are.
    void productsOfHeadsInARow_data() { eachDtype(); }
    void productsOfHeadsInARow()
    {
        for (const auto& [tokens, width] : {std::pair {16, 32}, {49, 24}, {7, 16}}) {
            const at::Tensor projected = random({3, tokens, 3, 4, width}, dtype());
            const auto heads = [&](std::int64_t part) { return projected.select(2, part).transpose(1, 2); };
            const at::Tensor scores = at::empty({3, 4, tokens, tokens}, dtype());
            engine::multiplyEach(scores, heads(0), heads(1).mT());
            compare(scores, at::matmul(exact(heads(0)), exact(heads(1)).mT()), width);
            const at::Tensor joined = at::full({3, tokens, 2, 4, width}, 7, dtype()), out = joined.select(2, 1).transpose(1, 2);
            engine::multiplyEach(out, scores, heads(2));
            compare(out, at::matmul(exact(scores), exact(heads(2))), 8 * tokens);
            QVERIFY(joined.select(2, 0).eq(7).all().item<bool>());
        }
    }

    /// Memory outside the operands is never read, not even to be multiplied by zero.
    void neighboursDoNotMatter_data() { eachDtype(); }
    void neighboursDoNotMatter()
    {
        const auto amongNan = [](std::int64_t rows, std::int64_t columns) {
            const at::Tensor whole = at::full({rows + 3, columns + 5}, std::numeric_limits<double>::quiet_NaN(), dtype());
            return whole.narrow(0, 1, rows).narrow(1, 2, columns).fill_(1);
        };
        for (const std::int64_t inner : {21, 30, 31, 32, 33}) {
            for (const at::Tensor& left : {amongNan(19, inner), amongNan(inner, 19).t()}) {
                for (const at::Tensor& right : {amongNan(inner, 50), amongNan(50, inner).t()}) {
                    const at::Tensor out = at::empty({19, 50}, dtype());
                    engine::multiply(out, left, right, false);
                    QVERIFY(at::equal(out, at::full_like(out, inner)));
                }
            }
        }
    }

    void whatIsNotFiniteStaysSo_data() { eachDtype(); }
    void whatIsNotFiniteStaysSo()
    {
        const at::Tensor left = at::ones({16, 32}, dtype()), right = at::ones({32, 48}, dtype()), out = at::empty({16, 48}, dtype());
        left[3][5] = std::numeric_limits<float>::infinity();
        left[4][6] = std::numeric_limits<float>::quiet_NaN();
        engine::multiply(out, left, right, false);
        QVERIFY(at::isinf(out[3]).all().item<bool>() && at::isnan(out[4]).all().item<bool>());
        QVERIFY(at::equal(out[5], at::full({48}, 32, dtype())));
    }

    void productsOfFewRows_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("width");
        QTest::addColumn<bool>("isHalf");
        for (const int rows : {1, 2, 3, 4, 5}) {
            for (const int width : {1, 15, 16, 40, 131}) {
                QTest::addRow("float32, rows: %d, width %d", rows, width) << rows << width << false;
                QTest::addRow("bfloat16, rows: %d, width %d", rows, width) << rows << width << true;
            }
        }
    }
    /// Those of a linear layer, of its gradients, and of an adapter that reads and writes a few columns of a wider matrix.
    void productsOfFewRows()
    {
        QFETCH(int, rows);
        QFETCH(int, width);
        const std::int64_t outputs = 2 * width + 3;
        const at::Tensor x = random({rows, width}, dtype()), weight = random({outputs, width}, dtype()) * 0.1,
                         bias = random({outputs}, dtype()), wide = random({rows, outputs + 7}, dtype()), g = wide.narrow(1, 2, outputs);
        for (const int threads : {1, 3}) {
            const Threads scope(threads);
            const at::Tensor out = wide.clone(), own = out.narrow(1, 2, outputs), dx = random({rows, width}, dtype()),
                             dWeight = random({outputs, width}, dtype()), before = dx.clone(), dBefore = dWeight.clone();
            engine::multiplyAddBias(own, x, weight, bias);
            compare(own, at::matmul(exact(x), exact(weight).t()) + exact(bias), width);
            const at::Tensor once = own.clone();
            engine::multiply(own, x, weight.t(), true);
            compare(own, at::matmul(exact(x), exact(weight).t()) + exact(once), width);
            QVERIFY(at::equal(out.narrow(1, 0, 2), wide.narrow(1, 0, 2)) && at::equal(out.narrow(1, outputs + 2, 5), wide.narrow(1, outputs + 2, 5)));
            engine::multiply(dx, g, weight, true);
            compare(dx, at::matmul(exact(g), exact(weight)) + exact(before), outputs);
            engine::multiply(dx, g, weight, false);
            compare(dx, at::matmul(exact(g), exact(weight)), outputs);
            engine::multiply(dWeight, g.t(), x, true);
            compare(dWeight, at::matmul(exact(g).t(), exact(x)) + exact(dBefore), rows);
            engine::multiply(dWeight, g.t(), x, false);
            compare(dWeight, at::matmul(exact(g).t(), exact(x)), rows);
        }
    }
};

QTEST_GUILESS_MAIN(MatrixProductTest)
#include "tst_matrix_product.moc"
