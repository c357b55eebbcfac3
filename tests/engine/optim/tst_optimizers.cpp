// The optimizers on one rank, and their parts.
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/linalg_svdvals.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "engine/optim/adamw8bit.h"
#include "engine/optim/muon.h"
#include "tests/engine/cpu.h"
#include "tests/engine/test_device.h"

#include <QtTest>

#include <cmath>
#include <limits>
#include <numeric>

using engine::AdamWOptions;
using engine::DynamicCode;
using tests::kCpu;

namespace {

/// Two units on one rank: what no block holds, and a block with large and small tensors.
struct Model {
    explicit Model(at::ScalarType computeDtype = at::kFloat, at::ScalarType trainedDtype = at::kFloat)
        : units({{"root", {{"embed.weight", {40, 64}, 0.02, true}, {"embed.bias", {64}, 0.02, false}}},
                    {"blocks.0", {{"blocks.0.fc.weight", {128, 100}, 0.02, true}, {"blocks.0.fc.bias", {128}, 0.02, false},
                                     {"blocks.0.proj.weight", {100, 129}, 0.02, true},
                                     {"blocks.0.small.weight", {8, 100}, 0.02, true}}}},
            lone, pool, {.computeDtype = computeDtype, .trainedDtype = trainedDtype, .stateBlock = engine::AdamW8bit::kBlock}, {}, 7)
    {
        for (std::size_t i = 0; i < units.size(); ++i)
            units[i].allocateGradients();
    }
    void setGradients(int step)
    {
        for (std::size_t i = 0; i < units.size(); ++i) {
            auto random = tests::onDevice(at::linspace(0, 1000, units[i].gradShard.numel()));
            units[i].gradShard.copy_((random * (step + 3)).sin() * random.add(step).cos().pow(3) * 0.01);
        }
    }
    double stateBytesPerParameter(std::size_t unit)
    {
        double bytes = 0, parameters = 0;
        for (const engine::ShardState& state : units[unit].optimizerStates)
            bytes += static_cast<double>(state.values.nbytes());
        for (const engine::LayoutTensor& tensor : units[unit].layoutTensors())
            parameters += static_cast<double>(tensor.elements);
        return bytes / parameters;
    }
    at::Tensor weight(std::size_t unit, std::size_t parameter)
    {
        return units[unit].master.narrow(0, units[unit].layout().offsets[parameter], units[unit].layoutTensors()[parameter].elements);
    }

    engine::LoneGroup lone;
    engine::BufferPool pool {lone, tests::device()};
    engine::UnitSequence units;
};

void train(Model& model, engine::Optimizer& optimizer, int steps, double lr = 1e-3)
{
    for (int i = 0; i < steps; ++i) {
        model.setGradients(i);
        const engine::OptimizerStep step {.lr = lr, .gradScale = 0.5, .emaDecay = 0.9, .count = i + 1};
        optimizer.prepare(step);
        for (std::size_t unit = 0; unit < model.units.size(); ++unit)
            optimizer.update(unit, step);
    }
}

constexpr AdamWOptions kOptions {.weightDecay = 0.1};

std::unique_ptr<engine::Optimizer> optimizerOf(const QByteArray& kind, Model& model)
{
    if (kind == "adamw")
        return std::make_unique<engine::AdamW>(model.units, kOptions);
    if (kind == "adamw8bit")
        return std::make_unique<engine::AdamW8bit>(model.units, kOptions);
    return std::make_unique<engine::Muon>(model.units, model.lone, engine::MuonOptions {}, kOptions);
}

}  // namespace

class OptimizersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theDynamicCodeIsThePublishedOne_data()
    {
        QTest::addColumn<bool>("isSigned");
        QTest::newRow("issue 5: signed") << true;
        QTest::newRow("issue 5: unsigned") << false;
    }
    void theDynamicCodeIsThePublishedOne()
    {
        QFETCH(bool, isSigned);
        const DynamicCode code(isSigned ? DynamicCode::Range::Signed : DynamicCode::Range::Unsigned);
        const auto& values = code.values();
        QVERIFY(std::ranges::is_sorted(values) && std::ranges::adjacent_find(values) == values.end());
        QCOMPARE(values.back(), 1.0F);
        QCOMPARE(code.values()[code.zero()], 0.0F);
        // A bit for the sign halves the values of each decade: 64 above 0.1, or 128.
        const auto inLastDecade = std::ranges::count_if(values, [](float value) { return value > 0.1F && value < 1; });
        QCOMPARE(inLastDecade, isSigned ? 64 : 128);
        QCOMPARE(values[254], static_cast<float>(1 - 0.45 / (isSigned ? 64 : 128)));
        const auto smallest = *std::ranges::upper_bound(values, 0.0F);
        QCOMPARE(smallest, isSigned ? 0.55e-6F : 0.325e-6F);
        QCOMPARE(values.front(), isSigned ? -values[254] : 0.0F);
    }

    void theNearestValueIsFound_data() { theDynamicCodeIsThePublishedOne_data(); }
    void theNearestValueIsFound()
    {
        QFETCH(bool, isSigned);
        const DynamicCode code(isSigned ? DynamicCode::Range::Signed : DynamicCode::Range::Unsigned);
        std::vector<float> probes = {0, 1, 1e-30F, 1e-7F, 2.7e-7F, 2.8e-7F};
        for (std::size_t i = 0; i + 1 < 256; ++i) {
            const float middle = (code.values()[i] + code.values()[i + 1]) / 2;
            for (const float x : {code.values()[i], std::nextafter(middle, -2.0F), std::nextafter(middle, 2.0F)})
                probes.push_back(x);
        }
        for (float x = 1e-8F; x < 1; x *= 1.003F)
            probes.insert(probes.end(), {x, isSigned ? -x : x});
        for (const float x : probes) {
            const float distance = std::abs(code.values()[code.nearest(x)] - x);
            const float least = std::transform_reduce(code.values().begin(), code.values().end(), 2.0F,
                [](float a, float b) { return std::min(a, b); }, [x](float value) { return std::abs(value - x); });
            QVERIFY2(distance <= least * 1.0001F, qPrintable(QString::number(x, 'g', 9)));
        }
    }

    void kernelsOfTheCodeEqualPlainOnes()
    {
        const DynamicCode code(DynamicCode::Range::Signed);
        const at::Tensor from = at::cat({at::randn({700}).pow(3) * 1e-4, at::zeros({256})});
        const at::Tensor codes = at::zeros({956}, at::kByte), largest = at::zeros({4});
        code.encode(from, codes, largest);
        std::vector<std::uint8_t> own(956);
        std::vector<float> decoded(956);
        for (std::int64_t begin = 0; begin < 956; begin += 256) {
            const std::int64_t count = std::min<std::int64_t>(256, 956 - begin);
            const float found = code.encode(from.data_ptr<float>() + begin, own.data() + begin, count);
            QCOMPARE(found, largest[begin / 256].item<float>());
            code.decode(own.data() + begin, found, decoded.data() + begin, count);
        }
        const at::Tensor plain = code.decode(codes, largest);
        for (std::int64_t i = 0; i < 956; ++i) {
            const auto at = static_cast<std::size_t>(i);
            QVERIFY(std::abs(own[at] - codes[i].item<int>()) <= 1);  // at a middle, rounding decides
            QVERIFY(std::abs(decoded[at] - plain[i].item<float>()) <= 0.15F * std::abs(plain[i].item<float>()));
        }
    }

    /// A run that diverges without clipping ends in NaN, not in a crash.
    void momentsThatOverflowAreEncoded_data()
    {
        QTest::addColumn<float>("first");
        QTest::newRow("infinite") << std::numeric_limits<float>::infinity();
        QTest::newRow("negative infinite") << -std::numeric_limits<float>::infinity();
        QTest::newRow("NaN") << std::numeric_limits<float>::quiet_NaN();
    }
    void momentsThatOverflowAreEncoded()
    {
        QFETCH(float, first);
        for (const auto range : {DynamicCode::Range::Signed, DynamicCode::Range::Unsigned}) {
            const DynamicCode code(range);
            std::vector<float> moments(256, 0.5F);
            moments[0] = range == DynamicCode::Range::Unsigned ? std::abs(first) : first;
            std::vector<std::uint8_t> codes(256);
            const float largest = code.encode(moments.data(), codes.data(), 256);
            code.decode(codes.data(), largest, moments.data(), 256);
            QVERIFY(std::isnan(first) || !std::isfinite(moments[0]));
            QVERIFY(!std::isnan(first) || moments[1] == 0.5F);  // the others of the block
        }
        Model model;
        engine::AdamW8bit optimizer(model.units, kOptions);
        for (int count = 1; count < 3; ++count) {
            for (std::size_t unit = 0; unit < model.units.size(); ++unit) {
                model.units[unit].gradShard.fill_(1e30);  // finite; its square is not
                optimizer.update(unit, {.lr = 1e-3, .emaDecay = 0.9, .count = count});
            }
        }
    }

    void smallTensorsKeepThirtyTwoBits()
    {
        Model eight, thirtyTwo;
        engine::AdamW8bit first(eight.units, kOptions);
        engine::AdamW second(thirtyTwo.units, kOptions);
        train(eight, first, 20);
        train(thirtyTwo, second, 20);
        for (const auto& [unit, parameter] : {std::pair {0, 0}, {0, 1}, {1, 1}, {1, 3}})
            QVERIFY(at::equal(eight.weight(static_cast<std::size_t>(unit), static_cast<std::size_t>(parameter)),
                thirtyTwo.weight(static_cast<std::size_t>(unit), static_cast<std::size_t>(parameter))));
        for (const std::size_t parameter : {0U, 2U}) {
            const at::Tensor one = eight.weight(1, parameter), other = thirtyTwo.weight(1, parameter);
            QVERIFY(!at::equal(one, other));
            const at::Tensor moved = other - Model().weight(1, parameter);
            const double error = ((one - other).norm() / moved.norm()).item<double>();
            QVERIFY2(error < 0.2, qPrintable(QString::number(error)));  // signs change at every step: little movement is left
        }
    }

    void weightsOfBfloat16AreRoundedOncePerStep_data()
    {
        QTest::addColumn<QByteArray>("kind");
        for (const char* kind : {"adamw", "adamw8bit", "muon"})
            QTest::addRow("E-094 %s", kind) << QByteArray(kind);
    }
    void weightsOfBfloat16AreRoundedOncePerStep()
    {
        QFETCH(QByteArray, kind);
        Model rounded(at::kBFloat16, at::kBFloat16), plain(at::kHalf);
        for (std::size_t unit = 0; unit < plain.units.size(); ++unit) {
            plain.units[unit].master.copy_(rounded.units[unit].master);
            plain.units[unit].ema.copy_(rounded.units[unit].master);
        }
        for (Model* model : {&rounded, &plain})
            train(*model, *optimizerOf(kind, *model), 1);
        for (std::size_t unit = 0; unit < rounded.units.size(); ++unit) {
            const at::Tensor &master = rounded.units[unit].master, &exact = plain.units[unit].master;
            QCOMPARE(master.scalar_type(), at::kBFloat16);
            QCOMPARE(rounded.units[unit].ema.scalar_type(), at::kFloat);
            QVERIFY(at::equal(master, exact.to(at::kBFloat16)));
            QVERIFY((rounded.units[unit].ema - plain.units[unit].ema).abs().max().item<double>() < 1e-3);
            for (const engine::ShardState& state : rounded.units[unit].optimizerStates)
                QVERIFY2(state.values.scalar_type() != at::kBFloat16, state.name.c_str());
        }
    }

    void everyPathComputesTheSame_data()
    {
        QTest::addColumn<QByteArray>("kind");
        for (const char* kind : {"adamw", "adamw8bit", "muon"})
            QTest::addRow("%s", kind) << QByteArray(kind);
    }
    /// Atelier has no float16 kernels for the CPU, so ATen updates the weights, as on other devices.
    void everyPathComputesTheSame()
    {
        QFETCH(QByteArray, kind);
        Model kernels, plain(at::kHalf);
        train(kernels, *optimizerOf(kind, kernels), 10);
        train(plain, *optimizerOf(kind, plain), 10);
        for (std::size_t unit = 0; unit < kernels.units.size(); ++unit) {
            for (const auto& shard : {&engine::Unit::master, &engine::Unit::ema}) {
                const at::Tensor one = kernels.units[unit].*shard, other = plain.units[unit].*shard;
                // A code that rounding sends to its neighbour changes one element's step by a few per cent.
                const double most = kind == "adamw8bit" ? 1e-3 : 1e-6;
                QVERIFY((one - other).abs().max().item<double>() <= most);
                QVERIFY((one - other).abs().mean().item<double>() <= 1e-6);
            }
        }
    }

    void theAverageOfWeightsThatStayIsThoseWeights_data()
    {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<bool>("hasCpuKernels");
        for (const char* kind : {"adamw", "adamw8bit", "muon"}) {
            QTest::addRow("%s", kind) << QByteArray(kind) << true;
            QTest::addRow("%s by tensors", kind) << QByteArray(kind) << false;
        }
    }
    void theAverageOfWeightsThatStayIsThoseWeights()
    {
        QFETCH(QByteArray, kind);
        QFETCH(bool, hasCpuKernels);
        Model model(hasCpuKernels ? at::kFloat : at::kHalf);
        train(model, *optimizerOf(kind, model), 9, 0.0);
        for (std::size_t unit = 0; unit < model.units.size(); ++unit)
            QVERIFY(at::equal(model.units[unit].ema, model.units[unit].master));
    }

    void onlyWhatDecaysShrinksByItself_data() { theAverageOfWeightsThatStayIsThoseWeights_data(); }
    void onlyWhatDecaysShrinksByItself()
    {
        QFETCH(QByteArray, kind);
        QFETCH(bool, hasCpuKernels);
        constexpr double kLr = 0.5;
        Model model(hasCpuKernels ? at::kFloat : at::kHalf);
        const at::Tensor weight = model.weight(0, 0).clone(), bias = model.weight(0, 1).clone();
        QVERIFY(bias.abs().min().item<double>() > 0);
        const auto optimizer = optimizerOf(kind, model);
        for (std::size_t unit = 0; unit < model.units.size(); ++unit)
            model.units[unit].gradShard.zero_();
        const engine::OptimizerStep step {.lr = kLr};
        optimizer->prepare(step);
        for (std::size_t unit = 0; unit < model.units.size(); ++unit)
            optimizer->update(unit, step);
        QVERIFY(at::equal(model.weight(0, 1), bias));
        QVERIFY((model.weight(0, 0) - weight * (1 - kLr * kOptions.weightDecay)).abs().max().item<double>() < 1e-7);
    }

    void theOtherReferencesAdamWCanBeSet_data()
    {
        QTest::addColumn<double>("l2");
        QTest::newRow("E-184 its own values") << 0.0;
        QTest::newRow("E-184 with weight decay") << 1.0;
    }
    /// Against the formula of AdamW in float64; l2 is no part of the gradient.
    void theOtherReferencesAdamWCanBeSet()
    {
        QFETCH(double, l2);
        constexpr int kSteps = 10;
        contract::Experiment experiment;
        for (const auto& [key, value] : std::initializer_list<std::pair<const char*, double>> {
                 {"optim.lr", 1e-5}, {"optim.beta1", 0.9}, {"optim.beta2", 0.95}, {"optim.weight_decay", l2}})
            QVERIFY(!experiment.set(key, value));
        Model model, gradients;
        at::Tensor weight = model.weight(0, 0).to(at::kDouble), first = at::zeros_like(weight), second = at::zeros_like(weight);
        const at::Tensor before = weight.clone();
        for (int i = 1; i <= kSteps; ++i) {
            gradients.setGradients(i - 1);
            const at::Tensor gradient = gradients.units[0].gradShard.narrow(0, 0, weight.numel()).to(at::kDouble) * 0.5;  // see train()
            first = 0.9 * first + 0.1 * gradient;
            second = 0.95 * second + 0.05 * gradient * gradient;
            weight = weight * (1 - 1e-5 * l2) - 1e-5 * (first / (1 - std::pow(0.9, i))) / ((second / (1 - std::pow(0.95, i))).sqrt() + 1e-8);
        }
        train(model, *engine::makeOptimizer(experiment, model.units, model.lone), kSteps, experiment.real("optim.lr"));
        QCOMPARE(model.units[0].layout().offsets[0], 0);
        QVERIFY((weight - before).abs().max().item<double>() > 1e-5);
        QVERIFY((model.weight(0, 0) - weight).abs().max().item<double>() < 1e-7);
    }

    void theMemoryOfStates()
    {
        Model adamw, eight, muon;
        const engine::AdamW first(adamw.units, kOptions);
        const engine::AdamW8bit second(eight.units, kOptions);
        const engine::Muon third(muon.units, muon.lone, {}, kOptions);
        QVERIFY(adamw.stateBytesPerParameter(1) >= 8 && adamw.stateBytesPerParameter(1) < 8.1);
        // Two matrices of 50 and 51 blocks take 2 bytes an element and 8 a block; the other 928 parameters 8 bytes each.
        QCOMPARE(eight.stateBytesPerParameter(1), (25700 * 2.0 + 101 * 8 + 928 * 8) / 26628);
        QCOMPARE(muon.stateBytesPerParameter(1), (26500 * 4.0 + 128 * 8) / 26628);
    }

    void singularValuesComeNearOne_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        QTest::newRow("issue 5: wide") << 48 << 160;
        QTest::newRow("issue 5: tall") << 160 << 48;
        QTest::newRow("issue 5: a row") << 1 << 30;
    }
    void singularValuesComeNearOne()
    {
        QFETCH(int, rows);
        QFETCH(int, columns);
        const at::Tensor result = engine::orthogonalized(at::randn({rows, columns}) * 1e-3);
        QCOMPARE(result.sizes().vec(), (std::vector<std::int64_t> {rows, columns}));
        const at::Tensor values = at::linalg_svdvals(result);
        QVERIFY(values.max().item<double>() < 1.25 && values.min().item<double>() > 0.65);
        QVERIFY(at::equal(engine::orthogonalized(at::zeros({rows, columns})), at::zeros({rows, columns})));
    }

    void theWorkIsBalanced()
    {
        std::vector<double> costs;
        for (int block = 0; block < 12; ++block) {
            for (const auto& [rows, columns] : {std::pair {6, 1}, {3, 1}, {1, 1}, {4, 1}, {1, 4}})
                costs.push_back(engine::orthogonalizationCost(64 * rows, 64 * columns));
        }
        for (const int ranks : {1, 2, 3, 4, 8}) {
            const auto owners = engine::balancedOwners(costs, ranks);
            std::vector<double> load(static_cast<std::size_t>(ranks));
            for (std::size_t i = 0; i < costs.size(); ++i)
                load[static_cast<std::size_t>(owners[i])] += costs[i];
            const double mean = std::accumulate(load.begin(), load.end(), 0.0) / ranks;
            QVERIFY(*std::ranges::max_element(load) <= 1.1 * mean);
        }
    }
};

QTEST_GUILESS_MAIN(OptimizersTest)
#include "tst_optimizers.moc"
