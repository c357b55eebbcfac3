// The loss and gradients of a batch do not depend on how it is divided into micro-batches, timesteps and ranks.
#include "engine/train/trainer.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/train/rollout_model.h"

#include <QtTest>

using engine::Exchange;
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
        const NamedTensors flat = flattened(batchOf(kTimesteps));
        for (const std::int64_t pass : {0, 1, 2, 3, 4, 5}) {
            std::vector<std::int64_t> rows;  // of micro-batch pass / 3 at timestep pass % 3
            for (std::int64_t row = 0; row < 4; ++row)
                rows.push_back((pass / 3 * 4 + row) * kTimesteps + pass % 3);
            NamedTensors some = flat;
            for (auto& [name, values] : some)
                values = values.index_select(0, at::tensor(rows));
            FlowOnRollout alone(sharded.model, some, 4);
            QVERIFY(isNear(numbers.losses[static_cast<std::size_t>(pass)], sharded.train(alone).loss() / 6, 1e-5));
        }
        QVERIFY(isNear(numbers.loss(), inOnePass(kTimesteps).loss, 1e-5));
    }

    void trainingKeepsNoPredictions_E146()
    {
        Mesh mesh = loneMesh();
        Sharded sharded(mesh);
        FlowOnRollout steps(sharded.model, batchOf(kTimesteps), 2);
        sharded.train(steps);
        QCOMPARE(steps.visits.size(), std::size_t {12});
        QVERIFY(!steps.hasKeptPredictions);
    }

    void trainingNeedsALoss_E147_E162()
    {
        Mesh mesh = loneMesh();
        Sharded sharded(mesh);
        FlowOnRollout steps(sharded.model, batchOf(kTimesteps), 4);
        engine::Trainer trainer({}, sharded.units, mesh, kCpu);
        QVERIFY(messageOf([&] { trainer.step(steps, {}, {}); }).contains("needs a loss function"));
        QCOMPARE(trainer.progress().step, 0);
    }

    void nothingToDoIsRefused_E141()
    {
        Mesh mesh = loneMesh();
        Sharded sharded(mesh);
        FlowOnRollout steps(sharded.model, narrow(batchOf(kTimesteps), 0, 0), 4);
        QVERIFY(messageOf([&] { sharded.train(steps); }).contains("0 micro-batches"));
    }
};

QTEST_GUILESS_MAIN(ForwardBackwardTest)
#include "tst_forward_backward.moc"
