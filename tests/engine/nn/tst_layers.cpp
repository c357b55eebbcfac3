// Layers and their gradients agree with the textbook formulas, also when the same values and weights are used twice.
#include <ATen/ATen.h>

#include "engine/nn/layers.h"
#include "engine/nn/patches.h"
#include "tests/engine/nn/layer_check.h"
#include "tests/engine/test_device.h"

#include <QtTest>

#include <limits>
#include <utility>

using engine::LinearGroup;
using engine::LinearWeights;
using engine::ParameterSpec;
using engine::Tape;
using engine::Unit;
using engine::Var;
using tests::LayerCase;
using tests::Tensors;

namespace {

using Inputs = std::vector<Var>;
using Outputs = std::vector<Var>;

constexpr std::int64_t kSamples = 3, kTokens = 5;

/// Queries, keys and values of one input, the values with another width. @param areApart whether biases separate the weights
LayerCase threeLinears(bool areApart, bool haveBiases, bool isLastFrozen = false)
{
    LayerCase result;
    const std::vector<std::int64_t> widths = {16, 16, 32};
    for (const std::int64_t width : widths) {
        result.parameters.push_back({"weight" + std::to_string(width), {width, 48}, 0.2, true});
        if (haveBiases)
            result.parameters.push_back({"bias" + std::to_string(width), {width}, 0.2, areApart});
    }
    if (!haveBiases && areApart)
        result.parameters.insert(result.parameters.begin() + 1, ParameterSpec {"between", {16}, 0.2, true});
    result.parameters.back().isTrained = !isLastFrozen;
    result.inputs = {{kSamples, kTokens, 48}};
    const std::size_t step = haveBiases ? 2 : 1, gap = !haveBiases && areApart ? 1 : 0;
    const auto places = [=](std::size_t i) { return i * step + (i > 0 ? gap : 0); };
    result.layers = [=](Tape& tape, Unit& unit, const Inputs& in) -> Outputs {
        LinearGroup group;
        for (std::size_t i = 0; i < 3; ++i)
            group.push_back({&unit.parameter(places(i)), haveBiases ? &unit.parameter(places(i) + 1) : nullptr});
        return {engine::linear(tape, in[0], group)};
    };
    result.textbook = [=](const Tensors& parameters, const Tensors& in) -> Tensors {
        Tensors parts;
        for (std::size_t i = 0; i < 3; ++i) {
            at::Tensor last = parameters[places(i) + step - 1];
            if (isLastFrozen && i == 2)
                last = last.detach();
            parts.push_back(haveBiases ? at::linear(in[0], parameters[places(i)], last) : at::linear(in[0], last));
        }
        return {at::cat(parts, -1)};
    };
    return result;
}

LayerCase norm(bool isRms, std::int64_t width)
{
    return {{{"weight", {width}, 0.5, true}, {"bias", {width}, 0.5, false}}, {{kSamples, kTokens, width}},
        [=](Tape& tape, Unit& unit, const Inputs& in) -> Outputs {
            return {isRms ? engine::rmsNorm(tape, in[0], unit.parameter(0), 1e-3)
                          : engine::layerNorm(tape, in[0], unit.parameter(0), unit.parameter(1), 1e-3)};
        },
        [=](const Tensors& parameters, const Tensors& in) -> Tensors {
            if (isRms)
                return {in[0] * (in[0].square().mean(-1, true) + 1e-3).rsqrt() * parameters[0]};
            return {at::layer_norm(in[0], {width}, parameters[0], parameters[1], 1e-3)};
        }};
}

LayerCase modulated()
{
    return {{}, {{kSamples, kTokens, 40}, {kSamples, 120}},
        [](Tape& tape, Unit&, const Inputs& in) -> Outputs { return {engine::modulatedNorm(tape, in[0], in[1], 2, 0, 1e-2)}; },
        [](const Tensors&, const Tensors& in) -> Tensors {
            const auto parts = in[1].unsqueeze(1).chunk(3, 2);
            return {at::layer_norm(in[0], {40}, {}, {}, 1e-2) * (parts[0] + 1) + parts[2]};
        }};
}

LayerCase image()
{
    const engine::PatchGrid grid {2, 3, 4};
    return {{{"weight", {24, 5, 2, 2}, 0.2, true}, {"bias", {24}, 0.2, false}}, {{kSamples, 5, 6, 8}},
        [=](Tape& tape, Unit& unit, const Inputs& in) -> Outputs {
            const Var rows = engine::embedPatches(tape, in[0], grid, 0, 12, LinearWeights {&unit.parameter(0), &unit.parameter(1)});
            const Var some = engine::embedPatches(tape, in[0], grid, 4, 4, LinearWeights {&unit.parameter(0), &unit.parameter(1)});
            return {rows, engine::unpatched(tape, rows, grid), some};
        },
        [](const Tensors& parameters, const Tensors& in) -> Tensors {
            const at::Tensor map = at::conv2d(in[0], parameters[0], parameters[1], 2);
            // Four pixels of a patch, each with 6 channels.
            const at::Tensor pixels = map.view({kSamples, 2, 2, 6, 3, 4}).permute({0, 3, 4, 1, 5, 2});
            const at::Tensor rows = map.flatten(2).transpose(1, 2);
            return {rows, pixels.reshape({kSamples, 6, 6, 8}), rows.narrow(1, 4, 4)};
        }};
}

LayerCase pieces()
{
    return {{}, {{kSamples, 2, 8}, {kSamples, 3, 8}},
        [](Tape& tape, Unit&, const Inputs& in) -> Outputs {
            const Var all = engine::concatenated(tape, in, 1);
            return {engine::narrowed(tape, all, 1, 1, 3), engine::add(tape, in[1], engine::silu(tape, in[1]))};
        },
        [](const Tensors&, const Tensors& in) -> Tensors {
            return {at::cat(in, 1).narrow(1, 1, 3), in[1] + at::silu(in[1])};
        }};
}

const tests::LayerCases& cases()
{
    static const tests::LayerCases all = {
        {QStringLiteral("M-011 three linears, weights in a row"), threeLinears(false, true)},
        {QStringLiteral("M-011 three linears, weights apart"), threeLinears(true, true)},
        {QStringLiteral("three linears without biases"), threeLinears(false, false)},
        {QStringLiteral("three linears without biases, weights apart"), threeLinears(true, false)},
        {QStringLiteral("E-004 three linears, a weight frozen"), threeLinears(false, false, true)},
        {QStringLiteral("E-004 three linears, a bias frozen"), threeLinears(false, true, true)},
        {QStringLiteral("M-004 LayerNorm with weights"), norm(false, 40)},
        {QStringLiteral("M-009 RMSNorm"), norm(true, 40)},
        {QStringLiteral("M-009 RMSNorm over 3 elements"), norm(true, 3)},
        {QStringLiteral("M-005 norm with parts of a modulation"), modulated()},
        {QStringLiteral("patches and back"), image()},
        {QStringLiteral("values one after the other, and a part of them"), pieces()},
    };
    return all;
}

}  // namespace

class LayersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalTheTextbook_data() { tests::addLayerRows(cases()); }
    void equalTheTextbook() { tests::checkLayerRow(cases()); }

    void overflowsInFloat16AreClampedWithoutGradient()
    {
        engine::LoneGroup lone;
        engine::BufferPool pool(lone, c10::Device(c10::DeviceType::CPU));
        engine::UnitSequence units({{"root", {{"unused", {16}, 0, false}}}}, lone, pool, {}, {}, 0);
        const double infinity = std::numeric_limits<double>::infinity();
        const at::Tensor values = at::tensor({65504.0, infinity, -infinity, 3.0});
        const auto result = [&](at::ScalarType dtype) {
            Tape tape(units, Tape::Mode::Train);
            const Var x = tape.input(values.to(dtype));
            x->needsGrad = true;
            const Var out = engine::clampedInHalf(tape, x);
            const at::Tensor clamped = out->data.to(at::kDouble);
            tape.backward(out, at::ones_like(x->data));
            return std::pair(clamped, tape.gradOf(x).to(at::kDouble).clone());
        };
        const auto [half, gradient] = result(at::kHalf);
        QVERIFY2(at::equal(half, at::tensor({65504.0, 65504.0, -65504.0, 3.0}, at::kDouble)), "defect-7: M-013");
        QVERIFY(at::equal(gradient, at::tensor({1.0, 0.0, 0.0, 1.0}, at::kDouble)));
        QVERIFY(at::equal(result(at::kBFloat16).first, values.to(at::kBFloat16).to(at::kDouble)));  // other dtypes hold more
    }

    /// Many sizes of images do not fill the device with their tables.
    void positionTablesAreThoseOfTheLastShapes()
    {
        engine::PositionTables tables;
        int made = 0;
        const auto find = [&](std::int64_t columns) {
            const engine::PatchGrid grid {2, 1, columns};
            return tables.find(grid, at::kFloat, c10::Device(c10::DeviceType::CPU), 4, [&] {
                ++made;
                return at::full({columns, 4}, columns);
            });
        };
        const auto find32 = [&](std::int64_t first) {
            for (std::int64_t columns = first; columns < first + 32; ++columns)
                QVERIFY(find(columns).equal(at::full({1, columns, 4}, static_cast<double>(columns))));
        };
        find32(1);
        find32(1);
        QCOMPARE(made, 32);  // all are kept
        find(33);
        find(2);
        QCOMPARE(made, 33);
        find(1);  // the one that was not used for longest has made way
        QCOMPARE(made, 34);
    }

    void sinusoidsAreThoseOfDiffusers_data()
    {
        QTest::addColumn<double>("t");
        QTest::addColumn<double>("scale");
        QTest::addColumn<double>("shift");
        QTest::newRow("M-001 SD3") << 731.25 << 1.0 << 0.0;
        QTest::newRow("M-001 Qwen-Image") << 0.4 << 1000.0 << 0.0;
        QTest::newRow("M-001 DiT") << 12.0 << 1.0 << 1.0;
    }
    void sinusoidsAreThoseOfDiffusers()
    {
        QFETCH(double, t);
        QFETCH(double, scale);
        QFETCH(double, shift);
        const at::Tensor features = engine::sinusoid(at::full({1}, t), 256, scale, shift);
        for (const int k : {0, 1, 64, 127}) {
            const double angle = scale * t * std::exp(-std::log(10000.0) * k / (128 - shift));
            QVERIFY(std::abs(features[0][k].item<double>() - std::cos(angle)) < 2e-4);
            QVERIFY(std::abs(features[0][128 + k].item<double>() - std::sin(angle)) < 2e-4);
        }
    }
};

QTEST_GUILESS_MAIN(LayersTest)
#include "tst_layers.moc"
