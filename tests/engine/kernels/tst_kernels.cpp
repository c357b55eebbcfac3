// Our own kernels agree with the ATen reference, and their backward with ATen's autograd.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/kernels/cpu/layer_kernels.h"
#include "engine/kernels/cpu/vector.h"
#include "engine/kernels/head_kernels.h"
#include "engine/kernels/reference/layer_kernels.h"
#include "tests/engine/kernels/kernel_check.h"
#include "tests/engine/test_device.h"

#include <QtTest>

#include <functional>

using engine::Arena;
using engine::NormStatistics;
using namespace tests;

class KernelsTest : public QObject {
    Q_OBJECT

    Arena m_arena {device()};

    static void addShapes()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<bool>("isHalf");
        for (const int width : {3, 15, 16, 40, 128}) {
            QTest::addRow("float32, width %d", width) << width << false;
            QTest::addRow("bfloat16, width %d", width) << width << true;
        }
    }
    static void addModulatedShapes()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<bool>("isHalf");
        QTest::addColumn<bool>("isModulationHalf");
        for (const int width : {3, 15, 16, 40, 128}) {
            QTest::addRow("float32, width %d", width) << width << false << false;
            QTest::addRow("bfloat16, width %d", width) << width << true << true;
            QTest::addRow("defect-7: bfloat16, modulation in float32, width %d", width) << width << true << false;
        }
    }
    static at::ScalarType modulationDtype()
    {
        QFETCH(bool, isModulationHalf);
        return isModulationHalf ? at::kBFloat16 : at::kFloat;
    }
    static void addTypes()
    {
        QTest::addColumn<bool>("isHalf");
        QTest::newRow("float32") << false;
        QTest::newRow("bfloat16") << true;
    }
    static at::ScalarType dtype()
    {
        QFETCH(bool, isHalf);
        return isHalf ? at::kBFloat16 : at::kFloat;
    }
    static std::int64_t width()
    {
        QFETCH(int, width);
        return width;
    }
    static NormStatistics statistics()
    {
        return {at::empty({kSamples * kTokens}, device()), at::empty({kSamples * kTokens}, device())};
    }
    static at::Tensor rows() { return random({kSamples, kTokens, width()}, dtype()); }

private Q_SLOTS:
    void init() { at::manual_seed(7); }

    /// Several threads compute the same as one thread, except for the order of sums.
    void threadsShareTheWork_data() { addTypes(); }
    void threadsShareTheWork()
    {
        QFETCH(bool, isHalf);
        const auto dtype = isHalf ? at::kBFloat16 : at::kFloat;
        const std::int64_t samples = 2, tokens = 300, wide = 400;
        const at::Tensor x = random({samples, tokens, wide}, dtype), gradient = random({samples, tokens, wide}, dtype);
        const at::Tensor vector = random({samples, wide}, dtype);
        const auto run = [&](int threads) {
            at::set_num_threads(threads);
            const NormStatistics kept {at::empty({samples * tokens}, device()), at::empty({samples * tokens}, device())};
            std::vector<at::Tensor> results;
            const auto result = [&](at::IntArrayRef shape) { return results.emplace_back(at::zeros(shape, at::TensorOptions(device()).dtype(dtype))); };
            engine::modulatedNorm(x, vector, vector, result(x.sizes()), kept);
            const at::Tensor dx = result(x.sizes()), dShift = result(vector.sizes()), dScale = result(vector.sizes());
            engine::modulatedNormBackward(gradient, x, vector, kept, dx, false, dShift, dScale, m_arena);
            engine::gatedAdd(x, vector, gradient, result(x.sizes()));
            const at::Tensor dh = result(x.sizes()), dGate = result(vector.sizes());
            engine::gatedAddBackward(gradient, vector, x, dh, dGate, m_arena);
            engine::gelu(x, result(x.sizes()));
            const at::Tensor derivative = result(x.sizes());
            derivative.copy_(x);
            engine::geluForBackward(derivative, result(x.sizes()));
            const at::Tensor dGelu = result(x.sizes());
            dGelu.copy_(gradient);
            engine::geluBackward(dGelu, derivative);
            engine::silu(x, result(x.sizes()));
            engine::siluBackward(gradient, x, result(x.sizes()), false);
            engine::columnSums(x.view({samples * tokens, wide}), result({wide}), false, m_arena);
            const at::Tensor apart = result({samples, 4, tokens, 100}), joined = x.view({samples, tokens, 4, 100});
            const engine::HeadTransform form {.weight = vector[0].narrow(0, 0, 100), .scale = 2};
            engine::splitHeads(joined, apart, form);
            const at::Tensor dJoined = result(joined.sizes()), dWeight = result({100});
            engine::splitHeadsBackward(apart, joined, dJoined, false, form, dWeight, m_arena);
            const at::Tensor p = result(x.sizes());
            p.copy_(x);
            engine::softmax(p);
            const at::Tensor d = result(x.sizes());
            d.copy_(gradient);
            engine::softmaxBackward(p, d);
            at::set_num_threads(1);
            return results;
        };
        const auto alone = run(1), together = run(5);
        for (std::size_t i = 0; i < alone.size(); ++i)
            compare(together[i], alone[i]);
        QVERIFY(at::equal(run(5)[1], together[1]));
    }

    void modulatedNorm_data() { addModulatedShapes(); }
    void modulatedNorm()
    {
        const at::Tensor x = rows(), modulation = random({kSamples, 3 * width()}, modulationDtype());
        const at::Tensor shift = modulation.narrow(1, 0, width()), scale = modulation.narrow(1, 2 * width(), width());
        at::Tensor out = at::empty_like(x), expected = at::empty_like(x);
        const NormStatistics ours = statistics(), plain = statistics();
        engine::modulatedNorm(x, shift, scale, out, ours);
        engine::reference::modulatedNorm(x, shift, scale, expected, plain);
        compare(out, expected);
        compare(ours.mean, plain.mean);

        // The reference is right if autograd of the textbook formula agrees with it.
        const at::Tensor leaf = x.to(at::kFloat).requires_grad_(true);
        const at::Tensor leafShift = shift.to(at::kFloat).detach().clone().requires_grad_(true);
        const at::Tensor leafScale = scale.to(at::kFloat).detach().clone().requires_grad_(true);
        const at::Tensor text = at::layer_norm(leaf, {width()}, {}, {}, 1e-6) * (leafScale.unsqueeze(1) + 1)
            + leafShift.unsqueeze(1);
        const at::Tensor gradient = rows();
        text.backward(gradient.to(at::kFloat));

        for (const bool adds : {false, true}) {
            const at::Tensor dx = at::ones_like(x);
            const at::Tensor dModulation = at::ones_like(modulation);
            engine::modulatedNormBackward(gradient, x, scale, ours, dx, adds, dModulation.narrow(1, 0, width()),
                dModulation.narrow(1, 2 * width(), width()), m_arena);
            compare(dx, leaf.grad() + (adds ? 1 : 0));
            compare(dModulation.narrow(1, 0, width()), leafShift.grad() + 1);
            compare(dModulation.narrow(1, 2 * width(), width()), leafScale.grad() + 1);
            compare(dModulation.narrow(1, width(), width()), at::ones({kSamples, width()}, device()));
        }
    }

    void gatedAdd_data() { addModulatedShapes(); }
    void gatedAdd()
    {
        const at::Tensor x = rows(), h = rows(), gradient = rows(), gate = random({kSamples, width()}, modulationDtype());
        const at::Tensor out = at::empty_like(x), expected = at::empty_like(x);
        engine::gatedAdd(x, gate, h, out);
        engine::reference::gatedAdd(x, gate, h, expected);
        compare(out, expected);
        const at::Tensor dh = at::empty_like(h), plainDh = at::empty_like(h);
        const at::Tensor dGate = at::ones_like(gate), plainGate = at::ones_like(gate);
        engine::gatedAddBackward(gradient, gate, h, dh, dGate, m_arena);
        engine::reference::gatedAddBackward(gradient, gate, h, plainDh, plainGate);
        compare(dh, plainDh);
        compare(dGate, plainGate);
    }

    void activations_data() { addShapes(); }
    void activations()
    {
        const at::Tensor x = rows() * 4, gradient = rows();
        const at::Tensor out = at::empty_like(x), expected = at::empty_like(x);
        engine::gelu(x, out);
        engine::reference::gelu(x, expected);
        compare(out, expected);
        engine::silu(x, out);
        engine::reference::silu(x, expected);
        compare(out, expected);
        const at::Tensor kept = x.clone(), dx = gradient.clone(), plainDx = gradient.clone();
        engine::geluForBackward(kept, out);
        engine::gelu(x, expected);
        QVERIFY(at::equal(out, expected));
        engine::geluBackward(dx, kept);
        engine::reference::geluBackward(plainDx, x);
        compare(dx, plainDx);
        for (const bool adds : {false, true}) {
            out.fill_(1);
            expected.fill_(1);
            engine::siluBackward(gradient, x, out, adds);
            engine::reference::siluBackward(gradient, x, expected, adds);
            compare(out, expected);
        }
    }

    void extremesStayFinite_data() { addTypes(); }
    void extremesStayFinite()
    {
        QFETCH(bool, isHalf);
        const auto dtype = isHalf ? at::kBFloat16 : at::kFloat;
        // More than a register holds, with a remainder.
        const at::Tensor x = at::tensor({-1e30F, -100.0F, -0.0F, 0.0F, 100.0F, 1e4F}).repeat({5}).to(device(), dtype);
        const at::Tensor out = at::empty_like(x);
        engine::silu(x, out);
        compare(out, at::silu(x));
        engine::gelu(x, out);
        compare(out, at::gelu(x, "tanh"));
        engine::softmax(x.view({5, 6}));
        compare(x, at::tensor({0.0F, 0.0F, 0.0F, 0.0F, 0.0F, 1.0F}).repeat({5}).to(device(), dtype));
    }

    /// Results are rounded once, from float32, ties to even.
    void resultsAreRoundedToTheNearest()
    {
        const at::Tensor x = random({kSamples, kTokens, 1000}, at::kBFloat16), h = random(x.sizes(), at::kBFloat16);
        const at::Tensor gate = random({kSamples, 1000}, at::kBFloat16), out = at::empty_like(x);
        engine::gatedAdd(x, gate, h, out);
        const at::Tensor exact = x.to(at::kFloat) + gate.to(at::kFloat).unsqueeze(1) * h.to(at::kFloat);
        QVERIFY(at::equal(out, exact.to(at::kBFloat16)));
    }

    void processorsWithoutInstructionsForBfloat16ComputeTheSame()
    {
        using engine::cpu::BFloat16, engine::cpu::NativeBFloat16;
        if (!device().is_cpu())
            QSKIP("This is about processors.");
        if (!engine::cpu::hasNativeBFloat16())
            QSKIP("This processor has none: the other tests run what there is.");
        const at::Tensor x = random({40, 77}, at::kBFloat16) * 8, ours = at::empty_like(x), native = at::empty_like(x);
        const auto memory = [](const at::Tensor& tensor) { return tensor.data_ptr(); };
        const auto same = [&](auto run) {
            run(static_cast<const BFloat16*>(memory(x)), static_cast<BFloat16*>(memory(ours)));
            run(static_cast<const NativeBFloat16*>(memory(x)), static_cast<NativeBFloat16*>(memory(native)));
            return at::equal(ours, native);
        };
        QVERIFY(same([&](auto* from, auto* to) { engine::cpu::gelu(from, to, x.numel()); }));
        QVERIFY(same([&](auto* from, auto* to) { engine::cpu::silu(from, to, x.numel()); }));
        const auto sameInPlace = [&](auto run) {
            ours.copy_(x);
            native.copy_(x);
            return same([&](auto* from, auto* to) { run(from, to); });
        };
        at::Tensor other = at::empty_like(x);
        QVERIFY(sameInPlace([&]<typename T>(const T*, T* to) { engine::cpu::geluAndDerivative(to, static_cast<T*>(memory(other)), x.numel()); }));
        QVERIFY(sameInPlace([&](auto* from, auto* to) { engine::cpu::multiplyElements(to, from, x.numel()); }));
        QVERIFY(sameInPlace([&](auto*, auto* to) { engine::cpu::softmax(engine::cpu::Rows {0, 40, 40, 77}, to, nullptr, 0.3F); }));
    }

    void whatIsNoNumberStaysSo_data() { addTypes(); }
    void whatIsNoNumberStaysSo()
    {
        QFETCH(bool, isHalf);
        for (const float sign : {1.0F, -1.0F}) {
            at::Tensor x = at::ones({2, 20}, at::TensorOptions(device()).dtype(isHalf ? at::kBFloat16 : at::kFloat));
            x.select(1, 3).fill_(std::copysign(NAN, sign));
            x.select(1, 18).fill_(std::copysign(NAN, sign));
            const auto isBroken = [&](const at::Tensor& values) {
                return at::equal(values.isnan(), x.isnan());
            };
            const at::Tensor out = at::empty_like(x);
            engine::silu(x, out);
            QVERIFY(isBroken(out));
            engine::gelu(x, out);
            QVERIFY(isBroken(out));
            const at::Tensor derivative = x.clone();
            engine::geluForBackward(derivative, out);
            QVERIFY(isBroken(out) && isBroken(derivative));
            const at::Tensor p = x.clone();
            engine::softmax(p);
            QVERIFY(p.isnan().all().item<bool>());
        }
    }

    void columnSums_data() { addShapes(); }
    void columnSums()
    {
        const at::Tensor x = random({kSamples * kTokens, width()}, dtype());
        for (const bool adds : {false, true}) {
            const at::Tensor out = at::ones({width()}, x.options()), expected = at::ones({width()}, x.options());
            engine::columnSums(x, out, adds, m_arena);
            engine::reference::columnSums(x, expected, adds);
            compare(out, expected);
        }
    }

    void softmax_data() { addShapes(); }
    void softmax()
    {
        const at::Tensor x = rows() * 8, p = x.clone(), expected = x.clone();
        constexpr double kScale = 0.3;
        engine::softmax(p, {}, kScale);
        engine::reference::softmax(expected, {}, kScale);
        compare(p, expected);
        compare(p, at::softmax(x.to(at::kFloat) * kScale, -1).to(x.scalar_type()));
        const at::Tensor gradient = rows();
        const at::Tensor d = gradient.clone(), plainD = gradient.clone();
        engine::softmaxBackward(p, d, kScale);
        engine::reference::softmaxBackward(p, plainD, kScale);
        compare(d, plainD);
        compare(d, (at::_softmax_backward_data(gradient.to(at::kFloat), p.to(at::kFloat), -1, at::kFloat) * kScale).to(x.scalar_type()));
    }

    void softmaxOfLongRows_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<bool>("isHalf");
        for (const int width : {1000, 4090, 4096, 4097, 5001}) {
            QTest::addRow("float32, width %d", width) << width << false;
            QTest::addRow("bfloat16, width %d", width) << width << true;
        }
    }
    void softmaxOfLongRows()
    {
        const at::Tensor x = random({2, 3, width()}, dtype()) * 4, expected = x.clone();
        engine::softmax(x);
        engine::reference::softmax(expected);
        QVERIFY(at::allclose(x.to(at::kFloat), expected.to(at::kFloat), 1.0 / 64, 1e-9));
        QVERIFY((x.to(at::kDouble).sum(-1) - 1).abs().max().item<double>() < 1e-2);
    }

    void softmaxWithABias_data() { addShapes(); }
    void softmaxWithABias()
    {
        const at::Tensor x = rows() * 8, expected = x.clone();
        at::Tensor bias = random({kSamples, width()});
        bias.select(1, 0).fill_(-INFINITY);
        engine::softmax(x, bias, 0.5);
        engine::reference::softmax(expected, bias, 0.5);
        compare(x, expected);
        QVERIFY(x.select(2, 0).eq(0).all().item<bool>());
    }

    void affineNorm_data() { addShapes(); }
    void affineNorm()
    {
        const engine::NormForm form {.epsilon = 1e-3F, .scaleOffset = 0};
        const at::Tensor x = rows(), gradient = rows(), weight = random({1, width()}, dtype()), bias = random({1, width()}, dtype());
        const at::Tensor out = at::empty_like(x), expected = at::empty_like(x);
        const NormStatistics ours = statistics(), plain = statistics();
        engine::modulatedNorm(x, bias, weight, out, ours, form);
        engine::reference::modulatedNorm(x, bias, weight, expected, plain, form);
        compare(out, expected);
        const auto back = [&](auto run) {
            std::vector<at::Tensor> results = {at::zeros_like(x), at::ones_like(bias), at::ones_like(weight)};
            run(results[0], results[1], results[2]);
            return results;
        };
        const auto got = back([&](const at::Tensor& dx, const at::Tensor& dBias, const at::Tensor& dWeight) {
            engine::modulatedNormBackward(gradient, x, weight, ours, dx, false, dBias, dWeight, m_arena, form);
        });
        const auto wanted = back([&](const at::Tensor& dx, const at::Tensor& dBias, const at::Tensor& dWeight) {
            engine::reference::modulatedNormBackward(gradient, x, weight, plain, dx, false, dBias, dWeight, form);
        });
        for (std::size_t i = 0; i < got.size(); ++i)
            compare(got[i], wanted[i]);
    }
};

QTEST_GUILESS_MAIN(KernelsTest)
#include "tst_kernels.moc"
