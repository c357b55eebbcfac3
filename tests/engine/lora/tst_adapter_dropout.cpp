// Dropout on the inputs of adapters during training.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/autograd/dropout_mask.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/lora/adapted_model.h"

#include <QtTest>

#include <cmath>

using engine::Adapters;
using engine::Tape;
using namespace tests;

class AdapterDropoutTest : public QObject {
    Q_OBJECT

    engine::LoneGroup m_lone;
    engine::BufferPool m_pool {m_lone, kCpu};

private Q_SLOTS:
    void dropoutIsTheTextbooks_E060_E062_E090()
    {
        constexpr double kDropout = 0.25;
        engine::UnitSequence units(adaptedSpecs({"default"}), m_lone, m_pool, {}, {}, 7);
        const Adapters adapters(units, kLayers, {"default"}, kDropout);
        moveAway(units);
        auto weights = weightsOf(units);
        for (auto& [name, values] : weights)
            values = values.to(at::kDouble).requires_grad_(true);
        const engine::PassDraws draws {.seed = 3, .step = 5, .firstRow = 8, .rows = 6};
        const auto layer = [&](const std::string& module, const at::Tensor& x, double scale) {
            const at::Tensor kept = at::empty(x.sizes(), at::kFloat);
            engine::drawDropoutMask(kept, kDropout, module, draws);
            const at::Tensor seen = x * kept.to(at::kDouble) / (1 - kDropout);
            return at::linear(x, weights.at(module + ".weight"), weights.at(module + ".bias"))
                + scale * at::linear(at::linear(seen, weights.at(module + ".lora_A.default.weight")), weights.at(module + ".lora_B.default.weight"));
        };
        const at::Tensor x = rowsOf(6).to(at::kDouble);
        const at::Tensor expected = at::linear(layer("block.0.down", layer("up", x, 2.0), 0.5), weights.at("block.0.out.weight"), weights.at("block.0.out.bias"));
        expected.square().sum().backward();

        const at::Tensor without = outputOf(units, 6);
        at::Tensor output;
        {
            Tape tape(units, Tape::Mode::Train);
            tape.setDraws(draws);
            const engine::Var out = tests::forward(tape, rowsOf(6));
            output = out->data.clone();
            tape.backward(out, 2 * output);
        }
        QVERIFY(at::allclose(output.to(at::kDouble), expected.detach(), 1e-4, 1e-5));
        QVERIFY(!at::allclose(output, without, 1e-2, 1e-3));  // evaluation drops nothing
        for (const auto& [name, gradient] : tests::gradientsOf(units))
            QVERIFY2(at::allclose(gradient.to(at::kDouble), weights.at(name).grad(), 1e-3, 1e-5), name.c_str());
    }

    void dropsAreTheSameOnAnyNumberOfRanks_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<bool>("recomputes");
        for (const int ranks : {1, 2, 4})
            QTest::addRow("E-090 dropout, ranks: %d", ranks) << ranks << (ranks != 2);
        QTest::addRow("E-090 dropout, ranks: 2, recomputed") << 2 << true;
    }
    void dropsAreTheSameOnAnyNumberOfRanks()
    {
        QFETCH(int, ranks);
        QFETCH(bool, recomputes);
        const auto codes = tests::runRanks({.world = ranks, .shard = ranks}, engine::Exchange::Automatic, [&](engine::Mesh& mesh) {
            at::set_num_threads(1);
            constexpr std::int64_t kRows = 8;
            const auto gradients = [&](engine::Group& group, bool again) {
                const std::int64_t own = kRows / group.size(), first = own * group.rank();
                engine::BufferPool pool(group, kCpu);
                engine::UnitSequence units(adaptedSpecs({"default"}), group, pool, {}, recomputing(again), 7);
                const Adapters adapters(units, kLayers, {"default"}, 0.5);
                moveAway(units);
                Tape tape(units, Tape::Mode::Train);
                tape.setDraws({.seed = 1, .step = 2, .firstRow = static_cast<std::uint64_t>(first), .rows = own});
                const engine::Var out = tests::forward(tape, rowsOf(kRows).narrow(0, first, own).clone());
                tape.backward(out, at::ones_like(out->data));
                return tests::gradientsOf(units);
            };
            engine::LoneGroup lone;
            const auto expected = gradients(lone, false), got = gradients(mesh.shard(), recomputes);
            bool isSame = true;
            for (const auto& [name, gradient] : expected)
                isSame &= at::allclose(got.at(name), gradient, 1e-4, 1e-5);
            return isSame;
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }

    void rowsStepsAndLayersDropOtherElements_E090()
    {
        const auto kept = [](const std::string& module, std::uint64_t step, std::uint64_t row) {
            const at::Tensor mask = at::empty({1, 20000}, at::kBFloat16);
            engine::drawDropoutMask(mask, 0.1, module, {.seed = 4, .step = step, .firstRow = row});
            return mask.to(at::kFloat);
        };
        const at::Tensor one = kept("a", 1, 1);
        QVERIFY(std::abs(one.mean().item<double>() - 0.9) < 0.01);
        QVERIFY(at::equal(one, kept("a", 1, 1)));
        for (const at::Tensor& other : {kept("b", 1, 1), kept("a", 2, 1), kept("a", 1, 2)})
            QVERIFY(std::abs(((1 - one) * (1 - other)).mean().item<double>() - 0.01) < 0.004);  // independent
    }
};

QTEST_APPLESS_MAIN(AdapterDropoutTest)
#include "tst_adapter_dropout.moc"
