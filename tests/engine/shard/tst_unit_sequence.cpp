// What of a model each rank holds at each moment of a step, with real ranks.
#include <ATen/ATen.h>

#include "engine/comm/errors.h"
#include "engine/shard/unit_sequence.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/cpu.h"

#include <QtTest>

#include <unistd.h>

#include <algorithm>
#include <cstdio>

using engine::Exchange;
using engine::Unit;
using tests::kCpu;
using tests::require;
using State = engine::Unit::State;

namespace {

constexpr std::size_t kBlocks = 12;
constexpr std::int64_t kRows = 50, kColumns = 16;

std::vector<engine::UnitSpec> specs()
{
    std::vector<engine::UnitSpec> all;
    for (std::size_t i = 0; i <= kBlocks; ++i) {
        const std::string name = i == 0 ? "root" : "blocks." + std::to_string(i - 1);
        all.push_back({name, {{name + ".weight", {kRows, kColumns}, 0.02, true}, {name + ".bias", {kRows}, 0.02, false}}});
    }
    return all;
}

struct Units {
    Units(engine::Group& group, const engine::SequenceOptions& options)
        : pool(group, kCpu)
        , sequence(specs(), group, pool, {}, options, 7)
    {
    }
    bool are(State state)
    {
        for (std::size_t i = 0; i < sequence.size(); ++i) {
            if (sequence[i].state() != state)
                return false;
        }
        return true;
    }
    void forward(bool isTraining)
    {
        sequence.begin();
        for (std::size_t i = 1; i < sequence.size(); ++i) {
            sequence.enter(i);
            sequence.exit(i, isTraining);
        }
    }
    void backward()
    {
        sequence.beginBackward();
        for (std::size_t i = sequence.size(); i-- > 1;) {
            sequence.beginUnitBackward(i);
            sequence.endUnitBackward(i);
        }
        sequence.endBackward();
    }
    engine::BufferPool pool;
    engine::UnitSequence sequence;
};

}  // namespace

class UnitSequenceTest : public QObject {
    Q_OBJECT

    static void addExchanges()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<bool>("isShared");
    }
    /// @param numbers of requirements, in front of each row's name
    static void addTwoRanks(const char* numbers = "")
    {
        addExchanges();
        QTest::addRow("%sshared memory", numbers) << 2 << true;
        QTest::addRow("%sGloo", numbers) << 2 << false;
    }
    template <typename Body>
    static void run(Body body)
    {
        QFETCH(int, ranks);
        QFETCH(bool, isShared);
        const auto codes = tests::runRanks({.world = ranks, .shard = ranks},
            isShared ? Exchange::SharedMemory : Exchange::Gloo, [&](engine::Mesh& mesh) { return body(mesh.shard()); });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }

private Q_SLOTS:
    void unitsAreGatheredAheadOfUseAndFreedAfterIt_data()
    {
        addTwoRanks("E-047: ");
    }
    void unitsAreGatheredAheadOfUseAndFreedAfterIt()
    {
        run([](engine::Group& group) {
            Units units(group, {});
            engine::UnitSequence& all = units.sequence;
            bool isRight = require(units.are(State::Sharded), "sharded at first");
            all.begin();
            isRight &= require(all[0].state() == State::Gathered, "root gathered")
                && require(all[1].state() == State::Gathering, "first block on its way");
            for (std::size_t i = 1; i < all.size(); ++i) {
                all.enter(i);
                isRight &= require(all[i].state() == State::Gathered, "block gathered")
                    && require(i + 1 == all.size() || all[i + 1].state() == State::Gathering, "next on its way")
                    && require(i + 2 >= all.size() || all[i + 2].state() == State::Sharded, "and no further");
                all.exit(i, true);
                const State after = i + 1 == all.size() ? State::Gathered : State::Sharded;
                isRight &= require(all[i].state() == after, "freed, but for the last, which backward begins with");
            }
            isRight &= require(all[0].state() == State::Gathered, "root stays for backward");
            all.beginBackward();
            for (std::size_t i = all.size(); i-- > 1;) {
                all.beginUnitBackward(i);
                isRight &= require(all[i].state() == State::Gathered, "gathered for backward")
                    && require(i == 1 || all[i - 1].state() == State::Gathering, "the one before on its way");
                all.endUnitBackward(i);
                isRight &= require(all[i].state() == State::Sharded, "freed after backward");
            }
            all.endBackward();
            return isRight && require(units.are(State::Sharded), "nothing gathered after a step");
        });
    }

    void withoutPrefetchNothingIsOnItsWay_E048_data() { addTwoRanks(); }
    void withoutPrefetchNothingIsOnItsWay_E048()
    {
        run([](engine::Group& group) {
            Units units(group, {.prefetch = false});
            units.sequence.begin();
            units.sequence.enter(1);
            return require(units.sequence[2].state() == State::Sharded, "second block untouched");
        });
    }

    void keptGatheredThroughAStep_E021_E047_data() { addTwoRanks(); }
    void keptGatheredThroughAStep_E021_E047()
    {
        run([](engine::Group& group) {
            Units units(group, {.reshardAfterForward = false});
            units.forward(true);
            bool isRight = require(units.are(State::Gathered), "all gathered after forward");
            units.backward();
            return isRight && require(units.are(State::Gathered), "and after backward");
        });
    }

    void evaluationLeavesEverythingSharded_data()
    {
        addExchanges();
        QTest::newRow("E-063 2 ranks, shared memory") << 2 << true;
        QTest::newRow("E-063 3 ranks, Gloo") << 3 << false;
    }
    void evaluationLeavesEverythingSharded()
    {
        run([](engine::Group& group) {
            Units units(group, {.reshardAfterForward = false});
            units.forward(true);
            units.backward();
            bool isRight = true;
            try {
                const engine::UnitSequence::EvaluationScope scope(units.sequence, engine::Weights::Ema);
                units.forward(false);
                isRight &= require(units.are(State::Gathered), "kept for the next pass of the evaluation");
                throw std::runtime_error("a sample could not be written");
            } catch (const std::runtime_error&) {
                isRight &= require(units.are(State::Sharded), "E-065: the root too, after an exception too");
            }
            units.forward(true);
            return isRight && require(units.are(State::Gathered), "training goes on as before");
        });
    }

    void anEvaluationKeepsTheModelGatheredWhereItFits_data()
    {
        addExchanges();
        QTest::addColumn<int>("fitsOn");
        QTest::newRow("defect-5: fits nowhere, shared memory") << 2 << true << 0;
        QTest::newRow("defect-5: fits on one rank of 3, Gloo") << 3 << false << 1;
        QTest::newRow("defect-5: fits everywhere, Gloo") << 2 << false << 2;
        QTest::newRow("defect-5: fits everywhere, shared memory") << 2 << true << 2;
    }
    /// All ranks agree. @p fitsOn: the number of ranks on which the model fits
    void anEvaluationKeepsTheModelGatheredWhereItFits()
    {
        QFETCH(int, fitsOn);
        run([&](engine::Group& group) {
            std::int64_t asked = 0;
            Units units(group, {.fitsGathered = [&](std::int64_t bytes, c10::Device) {
                asked = bytes;
                return group.rank() < fitsOn;
            }});
            units.forward(true);
            units.backward();
            const std::int64_t length = units.sequence[1].layout().length() * 4, before = units.pool.allocatedBytes();
            bool isRight = true;
            std::int64_t most = 0;
            {
                const engine::UnitSequence::EvaluationScope scope(units.sequence, engine::Weights::Master);
                for (int pass = 0; pass < 2; ++pass) {
                    units.forward(false);
                    most = std::max(most, units.pool.allocatedBytes());
                    isRight &= require(units.sequence[0].state() == State::Gathered, "the root stays gathered");
                    for (std::size_t i = 1; i < units.sequence.size(); ++i)
                        isRight &= require((units.sequence[i].state() == State::Gathered) == (fitsOn == group.size()), "a block");
                }
            }
            const std::int64_t all = length * static_cast<std::int64_t>(kBlocks + 1);
            isRight &= require(asked == all * (group.sharesMemory() ? 1 : group.size()), "asked for the memory of all copies");
            isRight &= require(fitsOn == group.size() ? most >= all : most <= before + 3 * length, "no more than two blocks and the root");
            return isRight & require(units.pool.allocatedBytes() == before, "and the memory is given back")
                & require(units.are(State::Sharded), "E-063: nothing stays gathered");
        });
    }

    void aPeerLostInAnEvaluationEndsItWithAnError_data()
    {
        addExchanges();
        QTest::newRow("defect-6: 2 ranks, shared memory") << 2 << true;
        QTest::newRow("defect-6: 2 ranks, Gloo") << 2 << false;
        QTest::newRow("defect-6: 3 ranks, Gloo") << 3 << false;
    }
    /// The last rank ends in the middle of a pass, while gathers are under way that will never be complete.
    void aPeerLostInAnEvaluationEndsItWithAnError()
    {
        run([](engine::Group& group) {
            Units units(group, {});
            const bool isLost = group.rank() + 1 == group.size();
            try {
                const engine::UnitSequence::EvaluationScope scope(units.sequence, engine::Weights::Master);
                units.sequence.begin();
                if (isLost)
                    ::_exit(0);
                for (std::size_t i = 1; i < units.sequence.size(); ++i)
                    units.sequence.enter(i);
            } catch (const engine::EngineError& error) {
                // Gloo does not always notice a connection that closes during a send, and then waits for the timeout.
                using Kind = engine::EngineError::Kind;
                const bool isRight = require(
                    error.kind() == Kind::LostPeer || (!group.sharesMemory() && error.kind() == Kind::Timeout), error.what());
                std::fflush(stderr);
                ::_exit(isRight ? 0 : 1);
            }
            return require(false, "the loss was noticed");
        });
    }

    void noRankEverHoldsTheWholeModel_data() { evaluationLeavesEverythingSharded_data(); }
    void noRankEverHoldsTheWholeModel()
    {
        run([](engine::Group& group) {
            Units units(group, {});
            const std::int64_t unitBytes = units.sequence[1].layout().length() * 4;
            std::int64_t afterThird = 0;
            for (int step = 1; step <= 6; ++step) {
                units.sequence.zeroGrad();
                units.forward(true);
                units.backward();
                if (step == 3)
                    afterThird = units.pool.allocatedBytes();
            }
            // Parameters of the root, of two blocks in use and one ahead; gradients of the root and of two blocks;
            // what Gloo reduces into.
            return require(units.pool.allocatedBytes() <= 8 * unitBytes, "a few units' buffers only")
                && require(units.pool.allocatedBytes() == afterThird, "no memory asked for after the third step");
        });
    }

    void everyNumberOfRanksBeginsWithTheSameWeights_data()
    {
        addExchanges();
        for (const int ranks : {2, 3, 5})
            QTest::addRow("E-042 %d ranks", ranks) << ranks << true;
    }
    void everyNumberOfRanksBeginsWithTheSameWeights()
    {
        run([](engine::Group& group) {
            engine::LoneGroup lone;
            Units alone(lone, {.reshardAfterForward = false}), units(group, {.reshardAfterForward = false});
            alone.forward(true);
            units.forward(true);
            for (std::size_t unit = 0; unit < units.sequence.size(); ++unit) {
                for (std::size_t i = 0; i < 2; ++i) {
                    const at::Tensor &one = alone.sequence[unit].parameter(i).value,
                                     &other = units.sequence[unit].parameter(i).value;
                    if (!require(at::equal(one, other), "equal weights")
                        || !require(one.std().item<double>() > 0.01, "drawn ones"))
                        return false;
                }
            }
            return true;
        });
    }
};

QTEST_GUILESS_MAIN(UnitSequenceTest)
#include "tst_unit_sequence.moc"
