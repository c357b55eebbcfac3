// Our kernels for GPUs agree with the ATen reference: on the CPU by emulation, in whatever order the threads run, with the label gpu on the GPU itself.
#include <ATen/ATen.h>

#include "engine/kernels/gpu_check.h"
#include "engine/kernels/gpu_head_kernels.h"
#include "engine/kernels/gpu_layer_kernels.h"
#include "engine/optim/adamw_gpu.h"
#include "tests/engine/kernels/cuda_emulation.h"
#include "tests/engine/kernels/kernel_check.h"
#include "tests/engine/test_device.h"

#include <QtTest>

#include <memory>

using engine::NormStatistics;
using namespace tests;

namespace {

/// Rows for a block of one warp and of several, for vectors and single elements; more rows than pieces, and fewer.
constexpr struct {
    int samples, tokens, width;
} kShapes[] = {{3, 5, 3}, {1, 1, 16}, {2, 7, 40}, {3, 9, 128}, {2, 3, 1152}, {5, 4, 516}};

}  // namespace

class GpuKernelsTest : public QObject {
    Q_OBJECT

    emulated::Launcher m_emulated;
    engine::Arena m_arena {device()};

    /// Once on the GPU, and in bfloat16, whose barriers are those of float32.
    template <typename Check>
    static void inEveryOrderOfThreads(Check check)
    {
        QFETCH(bool, isHalf);
        for (const emulated::Order order : emulated::kOrders) {
            emulated::order = order;
            check();
            if (isHalf || accelerator() || QTest::currentTestFailed())
                break;
        }
        emulated::order = emulated::Order::Forward;
    }

    static void addRows()
    {
        QTest::addColumn<int>("samples");
        QTest::addColumn<int>("tokens");
        QTest::addColumn<int>("width");
        QTest::addColumn<bool>("isHalf");
        QTest::addColumn<bool>("isModulationHalf");
        for (const auto& [samples, tokens, width] : kShapes) {
            for (const auto& [name, isHalf, isModulationHalf] : {std::tuple("float32", false, false), std::tuple("bfloat16", true, true),
                     std::tuple("bfloat16, modulation in float32", true, false)})
                QTest::addRow("M-013 %s, %d x %d x %d", name, samples, tokens, width) << samples << tokens << width << isHalf << isModulationHalf;
        }
    }
    /// The current row's.
    struct Row {
        Row()
        {
            QFETCH(int, samples);
            QFETCH(int, tokens);
            QFETCH(int, width);
            QFETCH(bool, isHalf);
            QFETCH(bool, isModulationHalf);
            shape = {samples, tokens, width};
            dtype = isHalf ? at::kBFloat16 : at::kFloat;
            modulationDtype = isModulationHalf ? at::kBFloat16 : at::kFloat;
        }
        at::Tensor rows() const { return random(shape, dtype); }
        /// A column block of a wider tensor.
        at::Tensor modulation(std::int64_t samples) const { return random({samples, 3 * shape[2]}, modulationDtype).narrow(1, shape[2], shape[2]); }
        at::Tensor modulation() const { return modulation(shape[0]); }
        NormStatistics statistics() const { return {at::empty({shape[0] * shape[1]}, device()), at::empty({shape[0] * shape[1]}, device())}; }

        std::vector<std::int64_t> shape;
        at::ScalarType dtype, modulationDtype;
    };

private Q_SLOTS:
    void initTestCase()
    {
        if (!accelerator())
            engine::cuda::setLauncher(&m_emulated);
    }
    void init() { at::manual_seed(7); }

    void everyKernelIsFound()
    {
        const auto names = engine::cuda::kernelNames();
        QVERIFY(names.size() > 50);
        for (const std::string& name : names)
            QVERIFY2(engine::cuda::launcher()->find(name), name.c_str());
    }

    void norms_data() { addRows(); }
    void norms()
    {
        inEveryOrderOfThreads([&] {
            const Row row;
            for (const std::int64_t samples : {row.shape[0], std::int64_t {1}}) {
                const engine::NormForm form {.epsilon = 1e-3F, .scaleOffset = samples == 1 ? 0.F : 1.F};
                const at::Tensor x = row.rows() + 3, gradient = row.rows(), shift = row.modulation(samples), scale = row.modulation(samples);
                const at::Tensor out = at::empty_like(x), expected = at::empty_like(x);
                const NormStatistics ours = row.statistics(), plain = row.statistics();
                QVERIFY(engine::gpu::modulatedNorm(x, shift, scale, out, ours, form));
                engine::reference::modulatedNorm(x, shift, scale, expected, plain, form);
                compare(out, expected);
                compare(ours.mean, plain.mean);
                compare(ours.inverseDeviation, plain.inverseDeviation);
                for (const bool adds : {false, true}) {
                    const at::Tensor dx = at::ones_like(x), plainDx = at::ones_like(x), dShift = at::ones_like(shift), plainShift = at::ones_like(shift),
                                     dScale = at::ones_like(scale), plainScale = at::ones_like(scale);
                    QVERIFY(engine::gpu::modulatedNormBackward(gradient, x, scale, plain, dx, adds, dShift, dScale, m_arena, form));
                    engine::reference::modulatedNormBackward(gradient, x, scale, plain, plainDx, adds, plainShift, plainScale, form);
                    compare(dx, plainDx);
                    compare(dShift, plainShift);
                    compare(dScale, plainScale);
                }
            }
        });
    }

    void gates_data() { addRows(); }
    void gates()
    {
        inEveryOrderOfThreads([&] {
            const Row row;
            const at::Tensor x = row.rows(), h = row.rows(), gradient = row.rows(), gate = row.modulation();
            const at::Tensor out = at::empty_like(x), expected = at::empty_like(x);
            QVERIFY(engine::gpu::gatedAdd(x, gate, h, out));
            engine::reference::gatedAdd(x, gate, h, expected);
            compare(out, expected);
            const at::Tensor dh = at::empty_like(h), plainDh = at::empty_like(h), dGate = at::ones_like(gate), plainGate = at::ones_like(gate);
            QVERIFY(engine::gpu::gatedAddBackward(gradient, gate, h, dh, dGate, m_arena));
            engine::reference::gatedAddBackward(gradient, gate, h, plainDh, plainGate);
            compare(dh, plainDh);
            compare(dGate, plainGate);
        });
    }

    void elements_data() { addRows(); }
    void elements()
    {
        inEveryOrderOfThreads([&] {
            const Row row;
            const at::Tensor x = row.rows() * 4, gradient = row.rows(), out = at::empty_like(x), expected = at::empty_like(x);
            QVERIFY(engine::gpu::silu(x, out));
            engine::reference::silu(x, expected);
            compare(out, expected);
            QVERIFY(engine::gpu::gelu(x, out));
            engine::reference::gelu(x, expected);
            compare(out, expected);
            const at::Tensor dx = gradient.clone(), plainDx = gradient.clone();
            QVERIFY(engine::gpu::geluBackward(dx, x));
            engine::reference::geluBackward(plainDx, x);
            compare(dx, plainDx);
            for (const bool adds : {false, true}) {
                out.fill_(1);
                expected.fill_(1);
                QVERIFY(engine::gpu::siluBackward(gradient, x, out, adds));
                engine::reference::siluBackward(gradient, x, expected, adds);
                compare(out, expected);
                const at::Tensor rows = x.flatten(0, 1), sums = at::ones({row.shape[2]}, x.options()), plainSums = sums.clone();
                QVERIFY(engine::gpu::columnSums(rows, sums, adds, m_arena));
                engine::reference::columnSums(rows, plainSums, adds);
                compare(sums, plainSums);
            }
        });
    }

    void extremesStayFinite_data()
    {
        QTest::addColumn<bool>("isHalf");
        QTest::newRow("float32") << false;
        QTest::newRow("bfloat16") << true;
    }
    void extremesStayFinite()
    {
        QFETCH(bool, isHalf);
        const at::Tensor x = at::tensor({-1e30F, -100.0F, -0.0F, 0.0F, 100.0F, 1e4F, 1e30F}).repeat({5}).to(device(), isHalf ? at::kBFloat16 : at::kFloat);
        const at::Tensor out = at::empty_like(x), slope = at::ones_like(x);
        QVERIFY(engine::gpu::silu(x, out));
        compare(out, at::silu(x));
        QVERIFY(engine::gpu::gelu(x, out));
        compare(out, at::gelu(x, "tanh"));
        QVERIFY(engine::gpu::geluBackward(slope, x));
        compare(slope, at::gelu_backward(at::ones_like(x, at::kDouble), x.clamp(-100, 100).to(at::kDouble), "tanh"));
        const at::Tensor broken = at::full_like(x, NAN);
        for (const auto function : {engine::gpu::silu, engine::gpu::gelu}) {
            QVERIFY(function(broken, out));
            QVERIFY(out.isnan().all().item<bool>());
        }
        QVERIFY(engine::gpu::geluBackward(slope, broken));
        QVERIFY(slope.isnan().all().item<bool>());
    }

    void heads_data()
    {
        QTest::addColumn<int>("size");
        QTest::addColumn<bool>("isHalf");
        QTest::addColumn<bool>("hasNorm");
        QTest::addColumn<bool>("rotates");
        for (const int size : {2, 8, 24, 64, 72, 128, 256}) {
            for (const bool isHalf : {false, true}) {
                for (const auto& [hasNorm, rotates] : {std::pair(false, false), std::pair(true, false), std::pair(true, true)})
                    QTest::addRow("M-011 M-012 %d elements, %s%s%s", size, isHalf ? "bfloat16" : "float32", hasNorm ? ", normed" : "", rotates ? ", rotated" : "")
                        << size << isHalf << hasNorm << rotates;
            }
        }
    }
    void heads()
    {
        inEveryOrderOfThreads([&] {
            QFETCH(int, size);
            QFETCH(bool, isHalf);
            QFETCH(bool, hasNorm);
            QFETCH(bool, rotates);
            const at::ScalarType dtype = isHalf ? at::kBFloat16 : at::kFloat;
            const std::int64_t samples = 3, tokens = 11, heads = 6;
            const at::Tensor projected = random({samples, tokens, 3, heads, size}, dtype), x = projected.select(2, 1);
            const at::Tensor all = random({samples, heads, tokens + 2, size}, dtype), out = all.narrow(2, 2, tokens), expected = at::empty_like(out);
            engine::HeadTransform form {.scale = 0.3};
            if (hasNorm)
                form.weight = random({size}, dtype);
            if (rotates)
                form.rotary = engine::rotaryTable(random({tokens, size / 2}), random({tokens, size / 2}));
            const at::Tensor before = all.clone();
            QVERIFY(engine::gpu::splitHeads(x, out, form));
            engine::reference::splitHeads(x, expected, form);
            compare(out, expected);
            QVERIFY(at::equal(all.narrow(2, 0, 2), before.narrow(2, 0, 2)));
            for (const bool adds : {false, true}) {
                const at::Tensor dAll = at::ones_like(projected), plainAll = at::ones_like(projected);
                const at::Tensor dWeight = hasNorm ? at::ones({size}, x.options()) : at::Tensor(), plainWeight = hasNorm ? dWeight.clone() : at::Tensor();
                QVERIFY(engine::gpu::splitHeadsBackward(expected, x, dAll.select(2, 1), adds, form, dWeight, m_arena));
                engine::reference::splitHeadsBackward(expected, x, plainAll.select(2, 1), adds, form, plainWeight);
                compare(dAll, plainAll);
                if (hasNorm)
                    compare(dWeight, plainWeight);
            }
        });
    }

    void adamW_data()
    {
        QTest::addColumn<int>("count");
        QTest::addColumn<int>("offset");
        QTest::addColumn<bool>("isHalf");
        QTest::addColumn<bool>("hasCopies");
        for (const bool isHalf : {false, true}) {
            QTest::addRow("E-170 vectors, %s", isHalf ? "bfloat16" : "float32") << 4096 << 0 << isHalf << true;
            QTest::addRow("E-170 an odd number, %s", isHalf ? "bfloat16" : "float32") << 1031 << 0 << isHalf << true;
            QTest::addRow("E-170 an odd address, %s", isHalf ? "bfloat16" : "float32") << 1024 << 1 << isHalf << true;
            QTest::addRow("E-170 neither average nor copy, %s", isHalf ? "bfloat16" : "float32") << 1024 << 0 << isHalf << false;
        }
    }
    /// As the CPU's kernel, which the goldens prove.
    void adamW()
    {
        QFETCH(int, count);
        QFETCH(int, offset);
        QFETCH(bool, isHalf);
        QFETCH(bool, hasCopies);
        const at::ScalarType dtype = isHalf ? at::kBFloat16 : at::kFloat;
        at::Tensor there[5], here[5];
        for (int i = 0; i < 5; ++i) {
            there[i] = random({count + offset}).narrow(0, offset, count);
            if (i == 3)
                there[i].square_();
            here[i] = there[i].to(at::kCPU, at::kFloat, false, true);
        }
        const at::Tensor copyThere = random({count + offset}, dtype).narrow(0, offset, count), copyHere = at::empty({count}, dtype);
        const auto range = [&](const at::Tensor(&tensors)[5], const at::Tensor& copy) {
            const auto data = [&](int i) { return tensors[i].data_ptr<float>(); };
            return engine::AdamWRange {data(0), hasCopies ? data(1) : nullptr, data(2), data(3), data(4), hasCopies ? copy.data_ptr() : nullptr, dtype};
        };
        const engine::AdamWCoefficients c({.weightDecay = 0.1}, {.lr = 1e-2, .gradScale = 0.5, .emaDecay = 0.9, .count = 3}, true);
        QVERIFY(engine::updateAdamWOnGpu(range(there, copyThere), count, c));
        engine::updateAdamW(range(here, copyHere), count, c);
        for (int i = 0; i < 5; ++i)
            compare(there[i].cpu(), here[i]);
        if (hasCopies)
            compare(copyThere.cpu(), copyHere);
    }

    void theCheckOfDoctorFindsThemRight()
    {
        for (const std::string& problem : engine::gpu::disagreements(device()))
            QFAIL(problem.c_str());
    }

    void whatHasNoKernelIsLeft()
    {
        const at::Tensor half = random({2, 3, 16}, at::kHalf), wide = random({1, 2, 8200});
        const NormStatistics statistics {at::empty({6}, device()), at::empty({6}, device())};
        QVERIFY(!engine::gpu::silu(half, at::empty_like(half)));
        QVERIFY(!engine::gpu::modulatedNormBackward(wide, wide, wide[0].narrow(0, 0, 1), statistics, at::empty_like(wide), false,
            at::zeros({1, 8200}, device()), at::zeros({1, 8200}, device()), m_arena, {}));
        const at::Tensor odd = random({1, 2, 3, 5});
        QVERIFY(!engine::gpu::splitHeads(odd, at::empty({1, 3, 2, 5}, device()), {}));
    }
};

QTEST_GUILESS_MAIN(GpuKernelsTest)
#include "tst_gpu_kernels.moc"
