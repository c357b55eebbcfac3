// A trainer's steps over a rollout: what they report, skip and count.
#include "engine/train/trainer.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/train/rollout_model.h"

#include <QtTest>

#include <limits>

using engine::Exchange;
using namespace tests;

namespace {

contract::Experiment experimentWith(std::initializer_list<std::pair<const char*, contract::OptionValue>> options)
{
    contract::Experiment experiment;
    experiment.set("engine.compute_dtype", std::string("fp32"));
    for (const auto& [key, value] : options) {
        if (const auto problem = experiment.set(key, value))
            qFatal("%s", problem->message.c_str());
    }
    return experiment;
}

}  // namespace

class RolloutUpdatesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lossesOfDataRanksAreAveraged_data()
    {
        QTest::addColumn<contract::MeshShape>("shape");
        QTest::newRow("E-148 2 data ranks") << contract::MeshShape {.world = 2, .shard = 2};
        QTest::newRow("E-148 2 ranks of a sequence") << contract::MeshShape {.world = 2, .shard = 2, .ring = 2};
    }
    void lossesOfDataRanksAreAveraged()
    {
        QFETCH(contract::MeshShape, shape);
        const Expected expected = inOnePass(kTimesteps);
        double squares = 0;
        for (const at::Tensor& gradient : expected.gradients)
            squares += gradient.square().sum().item<double>();
        const auto codes = tests::runRanks(shape, Exchange::SharedMemory, [&](Mesh& mesh) {
            Sharded sharded(mesh);
            FlowOnRollout steps(sharded.model, sharded.share(batchOf(kTimesteps)), 2);
            engine::Trainer trainer(experimentWith({}), sharded.units, mesh, kCpu);
            const auto report = trainer.step(steps, steps.loss(), {});
            return isNear(report.loss, expected.loss, 1e-5) && isNear(report.gradNorm, std::sqrt(squares), 1e-4)
                && report.samples == kRows;
        });
        QCOMPARE(codes, std::vector<int>(2, 0));
    }

    void eachTrainingStepBeginsWithoutGradients_E162()
    {
        Mesh mesh = loneMesh();
        Sharded sharded(mesh);
        FlowOnRollout steps(sharded.model, batchOf(kTimesteps), 4);
        // The warm-up begins with a learning rate of 0: both steps see the same weights.
        engine::Trainer trainer(experimentWith({{"schedule.warmup_steps", std::int64_t {10}}}), sharded.units, mesh, kCpu);
        const auto first = trainer.step(steps, steps.loss(), {});
        QVERIFY(first.gradNorm > 0);
        QCOMPARE(first.lr, 0.0);
        QCOMPARE(trainer.step(steps, steps.loss(), {}).gradNorm, first.gradNorm);
        QCOMPARE(trainer.progress().appliedSteps, 2);
        QCOMPARE(trainer.numbers().losses.size(), std::size_t {6});
    }

    void oneNumberThatIsNotFiniteSkipsTheStepOnAllRanks_E172_E175()
    {
        const auto codes = tests::runRanks({.world = 2, .shard = 2}, Exchange::SharedMemory, [](Mesh& mesh) {
            Sharded sharded(mesh);
            NamedTensors batch = sharded.share(batchOf(kTimesteps));
            if (mesh.world().rank() == 1) {  // in its last row, at one timestep
                const at::Tensor target = batch.at("target").clone();
                target[3][1].fill_(std::numeric_limits<float>::infinity());
                batch["target"] = target;
            }
            FlowOnRollout bad(sharded.model, batch, 2), good(sharded.model, sharded.share(batchOf(kTimesteps)), 2);
            engine::Trainer trainer(experimentWith({{"schedule.warmup_steps", std::int64_t {10}}}), sharded.units, mesh, kCpu);
            trainer.step(good, good.loss(), {});
            const double lr = trainer.step(good, good.loss(), {}).lr;
            const at::Tensor weights = sharded.units[1].master.clone(), average = sharded.units[1].ema.clone();
            const auto skipped = trainer.step(bad, bad.loss(), {});
            const engine::TrainingProgress progress = trainer.progress();
            const bool isUnmoved = sharded.units[1].master.equal(weights) && sharded.units[1].ema.equal(average);
            const auto next = trainer.step(good, good.loss(), {});
            return skipped.isSkipped && !std::isfinite(skipped.gradNorm) && isUnmoved && progress.step == 3
                && progress.skippedSteps == 1 && progress.appliedSteps == 2 && progress.scheduleSteps == 2
                && progress.samplesSeen == 3 * kRows && next.lr == 2 * lr && !next.isSkipped;
        });
        QCOMPARE(codes, std::vector<int>(2, 0));
    }

    void aStateWithoutStepsOfItsScheduleHasOneForEachAppliedStep()
    {
        engine::TrainingProgress progress;
        progress.step = 6;
        progress.appliedSteps = 5;
        progress.scheduleSteps = 2;
        auto state = progress.toState();
        QCOMPARE(engine::TrainingProgress::fromState(state).scheduleSteps, 2);
        state.erase("schedule_steps");
        QCOMPARE(engine::TrainingProgress::fromState(state).scheduleSteps, 5);
    }
};

QTEST_GUILESS_MAIN(RolloutUpdatesTest)
#include "tst_rollout_updates.moc"
