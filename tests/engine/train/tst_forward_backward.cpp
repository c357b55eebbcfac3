// The loss and gradients of a batch do not depend on how it is divided into micro-batches, timesteps and ranks.
#include "engine/train/stacked_outputs.h"
#include "engine/train/trainer.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/train/rollout_model.h"

#include <QtTest>

using engine::Exchange;
using engine::Weights;
using namespace tests;

class ForwardBackwardTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void gradientsAreThoseOfOnePass_data()
    {
        QTest::addColumn<contract::MeshShape>("shape");
        QTest::addColumn<int>("microBatch");
        QTest::addColumn<int>("timesteps");
        QTest::addColumn<bool>("reducesEachPass");
        const auto row = [](const char* name, const contract::MeshShape& shape, int microBatch, int timesteps,
                             bool reducesEachPass = true) {
            QTest::newRow(name) << shape << microBatch << timesteps << reducesEachPass;
        };
        row("E-141 4 micro-batches, 3 timesteps", {}, 2, 3);
        row("E-141 1 micro-batch, 3 timesteps", {}, 8, 3);
        row("E-142 4 micro-batches, 1 timestep", {}, 2, 1);
        row("E-143 2 data ranks", {.world = 2, .shard = 2}, 2, 3);
        row("E-143 2 replicas", {.world = 2, .shard = 1}, 2, 3);
        row("E-143 2 replicas, reduced once", {.world = 2, .shard = 1}, 2, 3, false);
        row("E-143 Ulysses of 2 ranks", {.world = 2, .shard = 2, .ulysses = 2}, 4, 3);
        row("E-143 ring of 2 ranks, 2 data ranks", {.world = 4, .shard = 4, .ring = 2}, 2, 2);
    }
    void gradientsAreThoseOfOnePass()
    {
        QFETCH(contract::MeshShape, shape);
        QFETCH(int, microBatch);
        QFETCH(int, timesteps);
        QFETCH(bool, reducesEachPass);
        const Expected expected = inOnePass(timesteps);
        const auto codes = tests::runRanks(shape, Exchange::SharedMemory, [&](Mesh& mesh) {
            Sharded sharded(mesh, reducesEachPass);
            FlowOnRollout steps(sharded.model, sharded.share(batchOf(timesteps)), microBatch);
            const engine::StepNumbers numbers = sharded.train(steps);
            const std::int64_t passes = steps.microBatches() * timesteps;
            const auto divisor = static_cast<double>(passes * mesh.data().size());
            const auto gradients = sharded.gradients();
            for (std::size_t i = 0; i < gradients.size(); ++i) {
                const double error = (gradients[i] / divisor - expected.gradients[i]).abs().max().item<double>();
                if (error > 1e-5 * expected.gradients[i].abs().max().item<double>() + 1e-9)
                    return false;
            }
            return static_cast<std::int64_t>(numbers.losses.size()) == passes;
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(shape.world), 0));
    }

    void everyMicroBatchIsVisitedAtEachTimestepInTurn_E141_E145()
    {
        Mesh mesh = loneMesh();
        Sharded sharded(mesh);
        FlowOnRollout steps(sharded.model, batchOf(kTimesteps), 4);
        const auto numbers = sharded.train(steps);
        using Visits = std::vector<std::pair<std::int64_t, std::int64_t>>;
        QVERIFY(steps.visits == (Visits {{0, 0}, {0, 1}, {0, 2}, {4, 0}, {4, 1}, {4, 2}}));
        QCOMPARE(numbers.metrics.at("row"), (std::vector<double> {0, 0, 0, 4, 4, 4}));
        QCOMPARE(numbers.metrics.at("timestep"), (std::vector<double> {0, 1, 2, 0, 1, 2}));
    }

    void reportedLossesAreDividedByTheirNumber_E148()
    {
        Mesh mesh = loneMesh();
        Sharded sharded(mesh);
        FlowOnRollout steps(sharded.model, batchOf(kTimesteps), 4);
        const auto numbers = sharded.train(steps);
        const RolloutBatch flat = flattened(batchOf(kTimesteps));
        for (const std::int64_t pass : {0, 1, 2, 3, 4, 5}) {
            std::vector<std::int64_t> rows;  // of micro-batch pass / 3 at timestep pass % 3
            for (std::int64_t row = 0; row < 4; ++row)
                rows.push_back((pass / 3 * 4 + row) * kTimesteps + pass % 3);
            FlowOnRollout alone(sharded.model, flat.select(rows), 4);
            QVERIFY(isNear(numbers.losses[static_cast<std::size_t>(pass)], sharded.train(alone).loss() / 6, 1e-5));
        }
        QVERIFY(isNear(numbers.loss(), inOnePass(kTimesteps).loss, 1e-5));
    }

    void trainingKeepsNoOutputs_E146()
    {
        Mesh mesh = loneMesh();
        Sharded sharded(mesh);
        FlowOnRollout steps(sharded.model, batchOf(kTimesteps), 2);
        sharded.train(steps);
        QCOMPARE(steps.visits.size(), std::size_t {12});
        QVERIFY(!steps.hasKeptOutputs);
    }

    void aForwardPassGivesEveryRowAtEveryTimestep_E145_E163()
    {
        Mesh mesh = loneMesh();
        Sharded sharded(mesh);
        const RolloutBatch batch = batchOf(kTimesteps);
        FlowOnRollout steps(sharded.model, batch, 2);
        const auto trained = sharded.train(steps);
        const at::Tensor gradient = sharded.units[1].gradShard.clone();
        const auto result = engine::forwardOnly(sharded.units, steps, steps.loss(), Weights::Master);

        const RolloutBatch flat = flattened(batch);
        const at::Tensor expected = engine::predict(sharded.model, sharded.units,
            {flat.tensor("noisy").squeeze(1), flat.tensor("sigmas").squeeze(1), flat.tensor("labels")});
        const at::Tensor velocity = result.outputs.at("velocity");
        QCOMPARE(velocity.sizes(), at::IntArrayRef({kRows, kTimesteps, 1, 8, 8}));
        QVERIFY(velocity.flatten(0, 1).allclose(expected, 1e-4, 1e-5));
        QVERIFY(result.outputs.at("mean").allclose(velocity.mean({2, 3, 4}), 1e-4, 1e-5));
        QCOMPARE(result.numbers.losses.size(), trained.losses.size());
        for (std::size_t i = 0; i < trained.losses.size(); ++i)
            QVERIFY(isNear(result.numbers.losses[i], trained.losses[i], 1e-5));
        QCOMPARE(result.numbers.metrics, trained.metrics);
        QVERIFY(sharded.units[1].gradShard.equal(gradient));  // nothing goes back
    }

    void aForwardPassMayUseTheAverage_E163()
    {
        Mesh mesh = loneMesh();
        Sharded sharded(mesh);
        FlowOnRollout steps(sharded.model, batchOf(kTimesteps), 4);
        const auto velocityOf = [&](Weights weights) {
            return engine::forwardOnly(sharded.units, steps, {}, weights).outputs.at("velocity");
        };
        const at::Tensor master = velocityOf(Weights::Master);
        for (std::size_t i = 0; i < sharded.units.size(); ++i)
            sharded.units[i].ema.copy_(sharded.units[i].master * 0.5);
        const at::Tensor average = velocityOf(Weights::Ema);
        QVERIFY(!average.allclose(master));
        for (std::size_t i = 0; i < sharded.units.size(); ++i)
            sharded.units[i].master.mul_(0.5);
        QVERIFY(velocityOf(Weights::Master).equal(average));
    }

    void withoutALossThereIsOnlyAForwardPass_E147_E162()
    {
        Mesh mesh = loneMesh();
        Sharded sharded(mesh);
        FlowOnRollout steps(sharded.model, batchOf(kTimesteps), 4);
        const auto result = engine::forwardOnly(sharded.units, steps, {}, Weights::Master);
        QCOMPARE(result.numbers.losses, std::vector<double>(6, 1.0));
        QVERIFY(result.numbers.metrics.empty());
        engine::Trainer trainer({}, sharded.units, mesh, kCpu);
        QVERIFY(messageOf([&] { trainer.step(steps, {}, {}); }).contains("needs a loss function"));
        QCOMPARE(trainer.progress().step, 0);
    }

    void outputsThatDoNotFitTogetherAreNamed_E145()
    {
        const auto problem = [](const engine::NamedTensors& second) {
            return messageOf([&] {
                engine::StackedOutputs outputs(1, 2);
                outputs.add(0, 0, {{"x0", at::zeros({2, 3})}});
                outputs.add(0, 1, second);
                outputs.take();
            });
        };
        QCOMPARE(problem({{"x0", at::ones({2, 3})}}), QByteArray());
        const auto otherShape = problem({{"x0", at::ones({2, 4})}});
        QVERIFY(otherShape.contains("\"x0\"") && otherShape.contains("[2, 4]") && otherShape.contains("[2, 3]"));
        QVERIFY(problem({{"x0", at::ones({2, 3}, at::kDouble)}}).contains("Double"));
        QVERIFY(problem({{"x0", at::ones({1, 3})}}).contains("[1, 3]"));
        QVERIFY(problem({{"x0", at::scalar_tensor(1)}}).contains("is a scalar"));
        QVERIFY(problem({}).contains("1 of 2 passes"));
        QVERIFY(problem({{"x0", at::ones({2, 3})}, {"xt", at::ones({2, 3})}}).contains("\"xt\" came from only 1 of 2"));
    }

    void nothingToDoIsRefused_E141()
    {
        Mesh mesh = loneMesh();
        Sharded sharded(mesh);
        FlowOnRollout steps(sharded.model, batchOf(kTimesteps).narrow(0, 0), 4);
        QVERIFY(messageOf([&] { sharded.train(steps); }).contains("0 micro-batches"));
        RolloutBatch batch;
        batch.set("labels", at::zeros({4}, at::kLong));
        QVERIFY_THROWS_EXCEPTION(std::out_of_range, FlowOnRollout(sharded.model, batch, 4));
        batch.set("sigmas", at::zeros({4}));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, FlowOnRollout(sharded.model, batch, 4));
    }
};

QTEST_GUILESS_MAIN(ForwardBackwardTest)
#include "tst_forward_backward.moc"
