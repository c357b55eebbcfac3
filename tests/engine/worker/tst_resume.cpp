// A run that was stopped, killed or moved to other ranks continues as if it had not been interrupted.
#include "tests/engine/worker/worker_run.h"
#include "tests/support/whole_test.h"

#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/run/control.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/all.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ge.h>

#include <QFile>
#include <QtTest>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

using tests::WorkerRun;
namespace fs = std::filesystem;

class ResumeTest : public QObject {
    Q_OBJECT

    static void requireEqual(const std::map<std::string, at::Tensor>& one,
        const std::map<std::string, at::Tensor>& other)
    {
        QCOMPARE(one.size(), other.size());
        QVERIFY(!one.empty());
        for (const auto& [name, tensor] : one)
            QVERIFY2(at::equal(tensor, other.at(name)), name.c_str());
    }

private Q_SLOTS:
    void resumedIsBitEqualToUninterrupted_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<bool>("isDeterministic");
        if (tests::isWhole())
            QTest::newRow("E-133 1 rank") << 1 << true;
        QTest::newRow("E-133 2 ranks") << 2 << true;
        QTest::newRow("E-133 2 ranks, not asked for determinism") << 2 << false;
        QTest::newRow("E-133 3 ranks, passes accumulated") << 3 << true;
    }
    void resumedIsBitEqualToUninterrupted()
    {
        QFETCH(int, ranks);
        QFETCH(bool, isDeterministic);
        auto experiment = tests::smallExperiment(ranks);
        experiment.set("run.deterministic", isDeterministic);
        experiment.set("schedule.type", std::string("cosine"));
        experiment.set("schedule.warmup_steps", std::int64_t {3});
        experiment.set("checkpoint.every", std::int64_t {8});
        experiment.set("validation.every", std::int64_t {5});
        if (ranks == 3) {
            experiment.set("batch.micro", std::int64_t {4});
            experiment.set("batch.accumulation", std::int64_t {2});
        }
        const std::vector<int> success(static_cast<std::size_t>(ranks), 0);

        WorkerRun whole(experiment);
        QCOMPARE(whole.run(), success);
        WorkerRun parted(experiment);
        QCOMPARE(parted.run(), success);
        parted.prepareAttempt(experiment, 8);
        QCOMPARE(parted.run(), success);

        const auto expected = whole.metric("loss");
        const auto resumed = parted.metric("loss");
        QCOMPARE(resumed.begin()->first, 9);
        QCOMPARE(resumed.size(), 12U);
        for (const auto& [step, loss] : resumed)
            QCOMPARE(loss, expected.at(step));
        for (const auto& [step, loss] : parted.metric("validation/loss"))
            QCOMPARE(loss, whole.metric("validation/loss").at(step));
        requireEqual(whole.checkpoint(20), parted.checkpoint(20));
    }

    void twoRunsAreBitEqual_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QByteArray>("exchange");
        if (tests::isWhole())
            QTest::newRow("E-200 1 rank") << 1 << QByteArray("auto");
        QTest::newRow("E-200 2 ranks") << 2 << QByteArray("shared");
        QTest::newRow("E-200 3 ranks, Gloo") << 3 << QByteArray("gloo");
    }
    void twoRunsAreBitEqual()
    {
        QFETCH(int, ranks);
        QFETCH(QByteArray, exchange);
        auto experiment = tests::smallExperiment(ranks);
        experiment.set("run.deterministic", true);
        experiment.set("run.threads", std::int64_t {ranks == 1 ? 2 : 1});
        experiment.set("engine.compute_dtype", std::string("bf16"));
        experiment.set("engine.exchange", exchange.toStdString());
        WorkerRun one(experiment), other(experiment);
        QCOMPARE(one.run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
        QCOMPARE(other.run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
        QCOMPARE(one.metric("loss"), other.metric("loss"));
        requireEqual(one.checkpoint(20), other.checkpoint(20));
    }

    void anyNumberOfRanksLoadsTheSameValues_data()
    {
        QTest::addColumn<int>("from");
        QTest::addColumn<QByteArray>("fromShards");
        QTest::addColumn<int>("to");
        QTest::addColumn<QByteArray>("toShards");
        const QByteArray all("all");
        QTest::newRow("E-131 2 to 3") << 2 << all << 3 << all;
        QTest::newRow("E-131 4 to 1") << 4 << all << 1 << all;
        QTest::newRow("E-131 1 to 4") << 1 << all << 4 << all;
        QTest::newRow("E-131 2 replicas of 2 to 3") << 4 << QByteArray("2") << 3 << all;
        QTest::newRow("E-131 3 to 4 replicas of 1") << 3 << all << 4 << QByteArray("1");
    }
    void anyNumberOfRanksLoadsTheSameValues()
    {
        QFETCH(int, from);
        QFETCH(QByteArray, fromShards);
        QFETCH(int, to);
        QFETCH(QByteArray, toShards);
        auto experiment = tests::smallExperiment(from);
        experiment.set("run.total_steps", std::int64_t {5});
        experiment.set("engine.shard_size", fromShards.toStdString());
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(static_cast<std::size_t>(from), 0));
        const auto saved = run.checkpoint(5);

        // One step at a learning rate of zero changes moments and average, but no weight.
        auto next = tests::smallExperiment(to);
        next.set("run.total_steps", std::int64_t {6});
        next.set("optim.lr", 0.0);
        next.set("engine.shard_size", toShards.toStdString());
        run.prepareAttempt(next, 5);
        QCOMPARE(run.run(), std::vector<int>(static_cast<std::size_t>(to), 0));
        const auto loaded = run.checkpoint(6);
        for (const auto& [name, tensor] : saved) {
            if (name.starts_with("model/"))
                QVERIFY2(at::equal(tensor, loaded.at(name)), name.c_str());
        }
    }

    /// A checkpoint of step 3 is loaded as the options say, and one step taken with a learning rate of zero.
    void theOptionsSayWhatIsTaken_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("said");
        QTest::addColumn<bool>("hasFormerMoments");
        QTest::newRow("E-124 all") << "checkpoint.load" << "all" << "continues from step 3" << true;
        QTest::newRow("E-124 weights") << "checkpoint.load" << "weights" << "continues from step 3" << false;
        QTest::newRow("E-121, E-128 saved without the optimizer") << "checkpoint.save" << "weights" << "holds no exp_avg_sq: it starts at zero" << false;
        QTest::newRow("E-125 no data position") << "" << "" << "how much data was read" << true;
        QTest::newRow("E-128 names that do not fit") << "checkpoint.strict" << "false" << "lacks " << true;
    }
    void theOptionsSayWhatIsTaken()
    {
        QFETCH(QString, key);
        QFETCH(QString, value);
        QFETCH(QString, said);
        QFETCH(bool, hasFormerMoments);
        auto experiment = tests::smallExperiment(2);
        experiment.set("run.total_steps", std::int64_t {3});
        if (key == "checkpoint.strict")
            experiment.set(key.toStdString(), value == "true");
        else if (!key.isEmpty())
            experiment.set(key.toStdString(), value.toStdString());
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(2, 0));
        auto manifest = contract::readManifest(run.folder().checkpoint(3));
        if (key.isEmpty())
            manifest.state.erase("samples_seen");
        if (key == "checkpoint.strict")
            std::erase_if(manifest.tensors, [](const auto& tensor) { return tensor.name.ends_with("final.bias"); });
        contract::writeManifest(run.folder().checkpoint(3), manifest);

        experiment.set("run.total_steps", std::int64_t {4});
        experiment.set("optim.lr", 0.0);
        run.prepareAttempt(experiment, 3);
        QCOMPARE(run.run(), std::vector<int>(2, 0));
        QVERIFY2(run.hasText("event", "message", said.toStdString()), qPrintable(said));
        const auto saved = run.checkpoint(3), next = run.checkpoint(4);
        for (const auto& [name, tensor] : saved)
            if (name.starts_with("model/"))
                QVERIFY2(at::equal(tensor, next.at(name)), name.c_str());
        if (key != "checkpoint.save") {
            // v ← 0.999·v + 0.001·g²: after one step from zero it is a thousandth of the new square.
            const std::string name = "exp_avg_sq/blocks.0.qkv.weight";
            QCOMPARE(next.at(name).ge(saved.at(name) * 0.998).all().item<bool>(), hasFormerMoments);
        }
    }

    /// There is no tracker file: the manifest, which is written last, holds the step and the data position.
    void aCheckpointLiesUnderItsStepWithTheDataPosition_E123_E126()
    {
        auto experiment = tests::smallExperiment(2);
        experiment.set("run.total_steps", std::int64_t {3});
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(2, 0));
        const fs::path folder = run.folder().root() / "checkpoints" / "step-3";
        std::set<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder))
            names.insert(entry.path().filename().string());
        QCOMPARE(names, (std::set<std::string> {"manifest.json", "rank-0.safetensors", "rank-1.safetensors"}));
        const auto manifest = contract::readManifest(folder);
        QCOMPARE(manifest.step, 3);
        QCOMPARE(manifest.state.at("step"), std::string("3"));
        QCOMPARE(manifest.state.at("samples_seen"), std::string("72"));  // 3 steps of 24
        QCOMPARE(manifest.state.at("schedule_steps"), std::string("3"));
        for (const char* kind : {"model/", "exp_avg/", "exp_avg_sq/"}) {
            const auto isOfKind = [&](const auto& tensor) { return tensor.name.starts_with(kind); };
            QVERIFY2(std::ranges::any_of(manifest.tensors, isOfKind), kind);
        }
        fs::remove(folder / "manifest.json");
        QVERIFY(run.folder().checkpointSteps().empty());
    }

    void aRunBeginsWithTheWeightsOfAnother_E128()
    {
        auto experiment = tests::smallExperiment(2);
        experiment.set("run.total_steps", std::int64_t {3});
        WorkerRun former(experiment);
        QCOMPARE(former.run(), std::vector<int>(2, 0));
        auto next = tests::smallExperiment(3);
        next.set("run.total_steps", std::int64_t {1});
        next.set("run.seed", std::int64_t {7});
        next.set("optim.lr", 0.0);
        next.set("checkpoint.init_from", former.folder().checkpoint(3).string());
        WorkerRun run(next);
        QCOMPARE(run.run(), std::vector<int>(3, 0));
        for (const auto& [name, tensor] : former.checkpoint(3))
            if (name.starts_with("model/"))
                QVERIFY2(at::equal(tensor, run.checkpoint(1).at(name)), name.c_str());
        next.set("checkpoint.init_from", former.folder().checkpoint(9).string());
        WorkerRun lost(next);
        QCOMPARE(lost.run(), std::vector<int>(3, 5));
    }

    void aKillAtAnyMomentLeavesOnlyWholeCheckpoints()
    {
        auto experiment = tests::smallExperiment(2);
        experiment.set("run.total_steps", std::int64_t {1000000});
        experiment.set("checkpoint.every", std::int64_t {1});
        experiment.set("checkpoint.keep", std::int64_t {2});
        for (int round = 0; round < 4; ++round) {
            WorkerRun run(experiment);
            run.start();
            QTRY_VERIFY_WITH_TIMEOUT(run.folder().checkpointSteps().size() >= 2, 60000);
            ::kill(static_cast<pid_t>(run.rank(round % 2).processId()), SIGKILL);
            const auto codes = run.wait();
            QCOMPARE(codes[static_cast<std::size_t>(round % 2)], -SIGKILL);
            QCOMPARE(codes[static_cast<std::size_t>(1 - round % 2)], 3);  // lost peer
            const int survivor = 1 - round % 2;
            const QString cause = QString::fromStdString(run.lastText("end", "cause", survivor));
            QVERIFY2(cause.startsWith(QStringLiteral("rank %1: ").arg(survivor))
                    && cause.contains(" failed: ") && !cause.contains("third_party"),
                qPrintable(cause));
            const auto steps = run.folder().checkpointSteps();
            QVERIFY(!steps.empty());
            for (const auto step : steps)
                contract::readManifest(run.folder().checkpoint(step));  // throws when not whole

            auto last = tests::smallExperiment(2);
            last.set("run.total_steps", steps.back() + 2);
            run.prepareAttempt(last, steps.back());
            QCOMPARE(run.run(), std::vector<int>(2, 0));
            for (const auto& entry : fs::directory_iterator(run.folder().checkpoints()))
                QVERIFY(entry.path().filename().string().starts_with("step-"));
        }
    }

    void rotationKeepsTheNewestAndThePinned_E127()
    {
        auto experiment = tests::smallExperiment(1);
        experiment.set("checkpoint.every", std::int64_t {4});
        experiment.set("checkpoint.keep", std::int64_t {2});
        WorkerRun run(experiment);
        fs::create_directories(run.folder().checkpoints() / "step-foreign");
        QCOMPARE(run.run(), std::vector<int>(1, 0));
        QCOMPARE(run.folder().checkpointSteps(), (std::vector<std::int64_t> {16, 20}));
        std::ofstream(run.folder().checkpoint(16) / contract::kPinFile) << "\n";
        experiment.set("run.total_steps", std::int64_t {32});
        run.prepareAttempt(experiment, 20);
        QCOMPARE(run.run(), std::vector<int>(1, 0));
        QCOMPARE(run.folder().checkpointSteps(), (std::vector<std::int64_t> {16, 28, 32}));
        QVERIFY(fs::exists(run.folder().checkpoints() / "step-foreign"));  // not ours, not touched
    }

    void aCheckpointThatDoesNotFitIsNamed_data()
    {
        QTest::addColumn<QString>("damage");
        QTest::addColumn<QString>("said");
        QTest::newRow("another model") << "model" << "model.width = 32";
        QTest::newRow("short file") << "truncate" << "rank-1.safetensors";
        QTest::newRow("missing file") << "remove" << "rank-1.safetensors is missing";
        QTest::newRow("malformed manifest") << "manifest" << "manifest.json";
    }
    void aCheckpointThatDoesNotFitIsNamed()
    {
        QFETCH(QString, damage);
        QFETCH(QString, said);
        auto experiment = tests::smallExperiment(2);
        experiment.set("run.total_steps", std::int64_t {2});
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(2, 0));
        const fs::path folder = run.folder().checkpoint(2);
        if (damage == "model")
            experiment.set("model.width", std::int64_t {64});
        else if (damage == "truncate")
            fs::resize_file(folder / "rank-1.safetensors", 1000);
        else if (damage == "remove")
            fs::remove(folder / "rank-1.safetensors");
        else
            std::ofstream(folder / "manifest.json") << "{\"v\":1";
        run.prepareAttempt(experiment, 2);
        QCOMPARE(run.run(), std::vector<int>(2, 5));
        const QString cause = QString::fromStdString(run.lastText("end", "cause"));
        QVERIFY2(cause.contains(said) && cause.contains("step-2"), qPrintable(cause));
    }
};

QTEST_GUILESS_MAIN(ResumeTest)
#include "tst_resume.moc"
