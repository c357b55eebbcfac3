// Runs of real ranks with every optimizer: equal to plain training, resumable, on any number of ranks.
#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>

#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "tests/engine/worker/reference_training.h"
#include "tests/engine/test_device.h"
#include "tests/engine/worker/worker_run.h"
#include "tests/support/whole_test.h"

#include <QtTest>

#include <cmath>

using tests::WorkerRun;

class OptimizerRunsTest : public QObject {
    Q_OBJECT

    static contract::Experiment experimentWith(const QByteArray& kind, int ranks)
    {
        auto experiment = tests::smallExperiment(ranks);
        experiment.set("optim.kind", kind.toStdString());
        return experiment;
    }
    static std::vector<int> allWell(int ranks) { return std::vector<int>(static_cast<std::size_t>(ranks), 0); }

    static void compareLosses(const std::vector<double>& expected, const std::map<std::int64_t, double>& losses, double rtol)
    {
        QCOMPARE(losses.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const double loss = losses.at(static_cast<std::int64_t>(i + 1));
            QVERIFY2(std::abs(loss - expected[i]) <= rtol * expected[i],
                qPrintable(QStringLiteral("step %1: %2 instead of %3").arg(i + 1).arg(loss, 0, 'g', 9).arg(expected[i], 0, 'g', 9)));
        }
    }

private Q_SLOTS:
    void muonEqualsAnUnshardedOne_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QByteArray>("exchange");
        QTest::addColumn<QByteArray>("keptInRoot");
        for (const int ranks : tests::isWhole() ? std::vector {1, 2, 3, 4} : std::vector {1, 4})
            QTest::addRow("issue 5: %d ranks", ranks) << ranks << QByteArray("auto") << QByteArray();
        QTest::newRow("issue 5: 3 ranks, Gloo") << 3 << QByteArray("gloo") << QByteArray();
        QTest::newRow("E-031 2 ranks, two blocks in the root") << 2 << QByteArray("auto") << QByteArray("blocks.0, blocks.2");
    }
    void muonEqualsAnUnshardedOne()
    {
        QFETCH(int, ranks);
        QFETCH(QByteArray, exchange);
        auto experiment = experimentWith("muon", ranks);
        QFETCH(QByteArray, keptInRoot);
        experiment.set("engine.exchange", exchange.toStdString());
        experiment.set("engine.wrap.keep_in_root", keptInRoot.toStdString());
        static const auto reference = tests::trainPlainly(experiment, 24);
        WorkerRun run(experiment);
        QCOMPARE(run.run(), allWell(ranks));
        // Orthogonalisation enlarges the rounding of directions that hardly occur, up to 3.4445^5 times.
        // GPUs compute it in bfloat16, as PyTorch's does.
        const double allowed = tests::accelerator() ? 0.1 : 1e-3;
        compareLosses(reference.losses, run.metric("loss"), tests::accelerator() ? 1e-2 : 1e-5);
        const auto saved = run.checkpoint(20);
        for (const auto& [name, weight] : reference.weights) {
            const double error = (saved.at("model/" + name) - weight).abs().max().item<double>();
            QVERIFY2(error <= allowed * weight.abs().max().item<double>(), name.c_str());
        }
        QVERIFY(saved.contains("momentum/blocks.0.qkv.weight") && !saved.contains("exp_avg/blocks.0.qkv.weight"));
        QVERIFY(saved.contains("exp_avg/embed.weight") && saved.contains("exp_avg_sq/blocks.0.qkv.bias"));
    }

    void eightBitsTrainAsThirtyTwo()
    {
        auto experiment = experimentWith("adamw8bit", 2);
        experiment.set("run.total_steps", std::int64_t {60});
        experiment.set("optim.weight_decay", 0.01);
        const auto reference = tests::trainPlainly(experiment, 24);
        WorkerRun run(experiment);
        QCOMPARE(run.run(), allWell(2));
        compareLosses(reference.losses, run.metric("loss"), 2e-3);
        QVERIFY(reference.losses.back() < 0.7 * reference.losses.front());
    }

    void resumedIsBitEqualToUninterrupted_data()
    {
        QTest::addColumn<QByteArray>("kind");
        QTest::newRow("E-133, E-187 adamw8bit") << QByteArray("adamw8bit");
        QTest::newRow("E-133 muon") << QByteArray("muon");
    }
    void resumedIsBitEqualToUninterrupted()
    {
        QFETCH(QByteArray, kind);
        auto experiment = experimentWith(kind, 2);
        experiment.set("run.total_steps", std::int64_t {9});
        experiment.set("checkpoint.every", std::int64_t {4});
        experiment.set("checkpoint.keep", std::int64_t {9});
        WorkerRun run(experiment);
        QCOMPARE(run.run(), allWell(2));
        const auto whole = run.checkpoint(9);
        run.prepareAttempt(experiment, 4);
        QCOMPARE(run.run(), allWell(2));
        const auto resumed = run.checkpoint(9);
        QCOMPARE(whole.size(), resumed.size());
        for (const auto& [name, tensor] : whole)
            QVERIFY2(at::equal(tensor, resumed.at(name)), name.c_str());
    }

    void statesMoveToAnyNumberOfRanks_data()
    {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("to");
        for (const char* kind : {"adamw8bit", "muon"}) {
            QTest::addRow("E-131 %s 2 to 3", kind) << QByteArray(kind) << 2 << 3;
            QTest::addRow("E-131 %s 4 to 1", kind) << QByteArray(kind) << 4 << 1;
        }
    }
    /// The step after is the same but for the order in which ranks add up gradients.
    void statesMoveToAnyNumberOfRanks()
    {
        QFETCH(QByteArray, kind);
        QFETCH(int, from);
        QFETCH(int, to);
        auto experiment = experimentWith(kind, from);
        experiment.set("run.total_steps", std::int64_t {6});
        experiment.set("checkpoint.every", std::int64_t {5});
        WorkerRun run(experiment);
        QCOMPARE(run.run(), allWell(from));
        const auto stayed = run.checkpoint(6);
        auto elsewhere = experimentWith(kind, to);
        elsewhere.set("run.total_steps", std::int64_t {6});
        run.prepareAttempt(elsewhere, 5);
        QCOMPARE(run.run(), allWell(to));
        const auto moved = run.checkpoint(6);
        QCOMPARE(stayed.size(), moved.size());
        for (const auto& [name, tensor] : stayed) {
            const at::Tensor difference = (moved.at(name).to(at::kFloat) - tensor.to(at::kFloat)).abs();
            if (name.find("_8bit/") != std::string::npos) {  // what lies in the middle of two codes may fall to either side
                QVERIFY2(difference.max().item<double>() <= 1, name.c_str());
                QVERIFY2(difference.mean().item<double>() < 1e-3, name.c_str());
            } else {
                QVERIFY2(difference.max().item<double>() <= 1e-3 * tensor.abs().max().item<double>(), name.c_str());
            }
        }
    }

    void anotherOptimizersCheckpointIsRefused()
    {
        auto experiment = experimentWith("muon", 1);
        experiment.set("run.total_steps", std::int64_t {2});
        WorkerRun run(experiment);
        QCOMPARE(run.run(), allWell(1));
        experiment = experimentWith("adamw", 1);
        experiment.set("run.total_steps", std::int64_t {3});
        run.prepareAttempt(experiment, 2);
        QCOMPARE(run.run(), std::vector<int> {5});
        const QString cause = QString::fromStdString(run.lastText("end", "cause"));
        QVERIFY2(cause.contains("was made with optim.kind = muon, but the experiment has adamw"), qPrintable(cause));
    }
};

QTEST_GUILESS_MAIN(OptimizerRunsTest)
#include "tst_optimizer_runs.moc"
