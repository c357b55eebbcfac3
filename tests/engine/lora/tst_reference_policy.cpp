// The reference policy: the base model without its adapter, or a copy that does not train.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/lora/adapted_model.h"

#include <QtTest>

using engine::Adapters;
using engine::Tape;
using namespace tests;

class ReferencePolicyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theReferenceStaysTheBaseModelWhileTheAdapterTrains_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<bool>("isBfloat16");
        for (const int ranks : {1, 2, 4}) {
            QTest::addRow("E-102 ranks: %d", ranks) << ranks << false;
            QTest::addRow("E-102 ranks: %d, bf16", ranks) << ranks << true;
        }
    }
    void theReferenceStaysTheBaseModelWhileTheAdapterTrains()
    {
        QFETCH(int, ranks);
        QFETCH(bool, isBfloat16);
        const auto codes = tests::runRanks({.world = ranks, .shard = ranks}, engine::Exchange::Automatic, [&](engine::Mesh& mesh) {
            at::set_num_threads(1);
            const engine::UnitOptions options {.computeDtype = isBfloat16 ? at::kBFloat16 : at::kFloat, .storesFrozen = false};
            engine::BufferPool pool(mesh.shard(), kCpu);
            engine::UnitSequence base(plainSpecs(), mesh.shard(), pool, options, {}, 7), units(adaptedSpecs(), mesh.shard(), pool, options, {}, 7);
            Adapters adapters(units, kLayers, {"default", "old"});
            const at::Tensor ofBase = outputOf(base);
            const auto reference = [&](bool fails) {
                const Adapters::Scope scope(adapters, engine::kReferenceAdapter);
                const at::Tensor output = outputOf(units);
                if (fails)
                    throw std::runtime_error("a fault of the reference's pass");
                return output;
            };
            bool isRight = true;
            at::Tensor before = outputOf(units);
            for (int step = 0; step < 3; ++step) {
                units.zeroGrad();
                {
                    Tape tape(units, Tape::Mode::Train);
                    const engine::Var out = tests::forward(tape, rowsOf(2).to(options.computeDtype));
                    isRight &= at::equal(reference(false), ofBase);  // between the forward and the backward pass
                    tape.backward(out, out->data - 1);
                }
                for (engine::Unit* unit : units.parts()) {
                    if (unit->isTrained()) {
                        unit->master.sub_(unit->gradShard, 0.01);
                        unit->masterReplaced();
                    }
                }
                units.reshardAll();
                isRight &= at::equal(reference(false), ofBase);
                const at::Tensor trained = outputOf(units);
                try {
                    reference(true);
                    isRight = false;
                } catch (const std::runtime_error&) {
                }
                isRight &= adapters.selected() == engine::kDefaultAdapter && at::equal(outputOf(units), trained) && !at::equal(trained, before);
                before = trained;
            }
            return isRight;
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }

    void withoutAdaptersACopyThatOnlyPassesForwardIsTheReference_data()
    {
        QTest::addColumn<int>("ranks");
        for (const int ranks : {1, 2, 4})
            QTest::addRow("E-102 ranks: %d", ranks) << ranks;
    }
    void withoutAdaptersACopyThatOnlyPassesForwardIsTheReference()
    {
        QFETCH(int, ranks);
        const auto codes = tests::runRanks({.world = ranks, .shard = ranks}, engine::Exchange::Automatic, [](engine::Mesh& mesh) {
            at::set_num_threads(1);
            auto frozen = plainSpecs();
            for (engine::UnitSpec& unit : frozen) {
                for (engine::ParameterSpec& parameter : unit.parameters)
                    parameter.isTrained = false;
            }
            engine::BufferPool pool(mesh.shard(), kCpu);
            engine::UnitSequence actor(plainSpecs(), mesh.shard(), pool, {}, {}, 7), reference(std::move(frozen), mesh.shard(), pool, {.storesFrozen = false}, {}, 7);
            const at::Tensor start = outputOf(actor);
            Tape tape(actor, Tape::Mode::Train);
            const engine::Var out = tests::forward(tape, rowsOf(2));
            tape.backward(out, at::ones_like(out->data));
            bool isRight = true;
            for (engine::Unit* unit : actor.parts()) {
                unit->master.sub_(unit->gradShard, 0.1);
                unit->masterReplaced();
            }
            actor.reshardAll();
            isRight &= !at::equal(outputOf(actor), start) && at::equal(outputOf(reference), start);
            for (const engine::Unit* unit : reference.parts())
                isRight &= unit->gradShard.numel() == 0 && !unit->ema.defined() && unit->storedStates().empty();
            return isRight;
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }
};

QTEST_APPLESS_MAIN(ReferencePolicyTest)
#include "tst_reference_policy.moc"
