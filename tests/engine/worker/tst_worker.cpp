// How a rank responds to being started, controlled and stopped.
#include "tests/engine/worker/worker_run.h"
#include "tests/paths.h"

#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/run/control.h"
#include "engine/contract/run/image_request.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QtTest>

#include <sys/mount.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>

using tests::WorkerRun;
namespace fs = std::filesystem;

class WorkerTest : public QObject {
    Q_OBJECT

    static contract::Experiment endless(int ranks)
    {
        auto experiment = tests::smallExperiment(ranks);
        experiment.set("run.total_steps", std::int64_t {1000000});
        experiment.set("checkpoint.every", std::int64_t {0});
        return experiment;
    }
    static void waitForSteps(const WorkerRun& run)
    {
        QTRY_VERIFY_WITH_TIMEOUT(run.metric("loss").size() > 2, 60000);
    }

private Q_SLOTS:
    void journalsEveryStepOfEveryRankAndDrawsSamples()
    {
        auto experiment = tests::smallExperiment(2);
        experiment.set("validation.every", std::int64_t {10});
        experiment.set("sample.every", std::int64_t {10});
        experiment.set("checkpoint.every", std::int64_t {10});
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(2, 0));
        for (const int rank : {0, 1}) {
            for (const char* name : {"rank/loss", "time/step_ms", "time/data_ms", "time/forward_ms",
                     "time/backward_ms", "time/communication_ms", "time/optimizer_ms",
                     "memory/resident_bytes", "memory/mapped_bytes", "memory/allocated_bytes", "memory/peak_bytes"})
                QCOMPARE(run.metric(name, rank).size(), 20U);
            const auto step = run.metric("time/step_ms", rank);
            for (const char* part : {"time/forward_ms", "time/backward_ms"}) {
                for (const auto& [number, value] : run.metric(part, rank))
                    QVERIFY(value > 0 && value < step.at(number));
            }
        }
        for (const char* name : {"loss", "grad_norm", "lr", "images_per_s"})
            QCOMPARE(run.metric(name).size(), 20U);
        QVERIFY(run.metric("loss", 1).empty());  // of the whole run: once
        QCOMPARE(run.metric("validation/loss").size(), 2U);
        QCOMPARE(run.lastText("end", "outcome"), std::string("finished"));
        QCOMPARE(run.lastText("sample", "file"), std::string("samples/step-00000020-prompt-10.png"));
        QVERIFY(fs::exists(run.folder().root() / "samples/step-00000010-prompt-01.png"));
        QCOMPARE(run.folder().checkpointSteps(), (std::vector<std::int64_t> {10, 20}));
        for (const auto& [step, loss] : run.metric("loss"))
            QVERIFY(std::abs((run.metric("rank/loss", 0).at(step) + run.metric("rank/loss", 1).at(step)) / 2 - loss) < 1e-9);
    }

    void attemptsKeepTheirOwnImages_data()
    {
        QTest::addColumn<int>("seed");
        QTest::newRow("defect-18: an attempt with other samples") << 7;
    }
    void attemptsKeepTheirOwnImages()
    {
        QFETCH(int, seed);
        auto experiment = tests::smallExperiment(1);
        experiment.set("run.total_steps", std::int64_t {2});
        experiment.set("sample.every", std::int64_t {1});
        experiment.set("checkpoint.every", std::int64_t {1});
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(1, 0));
        QCOMPARE(run.lastText("sample", "file"), std::string("samples/step-00000002-prompt-10.png"));
        const auto image = [&](const std::string& file) {
            QFile source(QString::fromStdString((run.folder().root() / file).string()));
            return source.open(QIODevice::ReadOnly) ? source.readAll() : QByteArray();
        };
        const QByteArray first = image("samples/step-00000002-prompt-10.png");
        QVERIFY(!first.isEmpty());
        experiment.set("run.seed", std::int64_t {seed});
        run.prepareAttempt(experiment, 1);
        QCOMPARE(run.run(), std::vector<int>(1, 0));
        const std::string second = run.lastText("sample", "file");
        QCOMPARE(second, std::string("samples/step-00000002-prompt-10-attempt-2.png"));
        QVERIFY(!image(second).isEmpty() && image(second) != first);
        QCOMPARE(image("samples/step-00000002-prompt-10.png"), first);
    }

    void commandsActAtOneStepOnAllRanks()
    {
        WorkerRun run(endless(2));
        run.start();
        waitForSteps(run);
        contract::appendCommand(run.folder().control(), contract::Command::Checkpoint);
        contract::appendCommand(run.folder().control(), contract::Command::Sample);
        QTRY_COMPARE_WITH_TIMEOUT(run.folder().checkpointSteps().size(), 1U, 60000);
        QTRY_VERIFY_WITH_TIMEOUT(!run.lastText("sample", "file").empty(), 60000);
        contract::appendCommand(run.folder().control(), contract::Command::Stop);
        QCOMPARE(run.wait(), std::vector<int>(2, 0));
        QCOMPARE(run.lastText("end", "outcome"), std::string("stopped"));
        QCOMPARE(run.lastText("end", "outcome", 1), std::string("stopped"));
        const auto last = run.metric("loss").rbegin()->first;
        QCOMPARE(run.folder().checkpointSteps().back(), last);
        QCOMPARE(run.metric("rank/loss", 1).rbegin()->first, last);
    }

    void theLastCheckpointComesBeforeSamplesAndVerdict_data()
    {
        QTest::addColumn<QByteArray>("slow");
        QTest::newRow("defect-1: while it judges") << QByteArray("sample.judge");
        QTest::newRow("defect-1: while it samples, which is not due") << QByteArray("sample.steps");
        QTest::newRow("defect-1: while it samples, which is due") << QByteArray("sample.every");
    }
    /// A rank is killed while it does what comes after training and takes practically for ever.
    void theLastCheckpointComesBeforeSamplesAndVerdict()
    {
        QFETCH(QByteArray, slow);
        auto experiment = tests::smallExperiment(2);
        experiment.set("checkpoint.every", std::int64_t {0});
        experiment.set("sample.judge", std::int64_t {slow == "sample.judge" ? 100000 : 0});
        experiment.set("sample.steps", std::int64_t {slow == "sample.judge" ? 100 : 1000});
        experiment.set("sample.per_label", std::int64_t {slow == "sample.judge" ? 1 : 64});
        experiment.set("sample.every", std::int64_t {slow == "sample.every" ? 20 : 0});
        WorkerRun run(experiment);
        run.start();
        QTRY_COMPARE_WITH_TIMEOUT(run.folder().checkpointSteps(), std::vector<std::int64_t> {20}, 60000);
        QTRY_VERIFY_WITH_TIMEOUT(run.hasText("checkpoint", "path", "checkpoints/step-20"), 60000);
        QVERIFY(run.lastText("end", "outcome").empty());
        ::kill(static_cast<pid_t>(run.rank(0).processId()), SIGKILL);
        QCOMPARE(run.wait().front(), -SIGKILL);
        contract::verifyCheckpoint(run.folder().checkpoint(20));  // throws when damaged
    }

    void aStepIsSavedOnce_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::newRow("defect-2: a stop where a checkpoint is due, 1 rank") << 1;
        QTest::newRow("defect-2: a stop where a checkpoint is due, 3 ranks") << 3;
    }
    void aStepIsSavedOnce()
    {
        QFETCH(int, ranks);
        auto experiment = endless(ranks);
        experiment.set("checkpoint.every", std::int64_t {1});
        WorkerRun run(experiment);
        run.start();
        waitForSteps(run);
        contract::appendCommand(run.folder().control(), contract::Command::Checkpoint);
        contract::appendCommand(run.folder().control(), contract::Command::Stop);
        QCOMPARE(run.wait(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
        QFile journal(QString::fromStdString(run.folder().journal(0).string()));
        QVERIFY(journal.open(QIODevice::ReadOnly));
        QMap<int, int> saves;
        for (const QByteArray& line : journal.readAll().split('\n')) {
            const QJsonObject record = QJsonDocument::fromJson(line).object();
            if (record["type"] == QStringLiteral("checkpoint"))
                ++saves[record["step"].toInt()];
        }
        QCOMPARE(saves.lastKey(), static_cast<int>(run.metric("loss").rbegin()->first));
        QCOMPARE(saves.values(), QList<int>(saves.size(), 1));
        contract::verifyCheckpoint(run.folder().checkpoint(saves.lastKey()));
    }

    void signalsOfAnyRankReachAll_data()
    {
        QTest::addColumn<int>("signal");
        QTest::addColumn<int>("checkpoints");
        QTest::newRow("SIGTERM stops with a checkpoint") << SIGTERM << 1;
        QTest::newRow("SIGINT leaves without") << SIGINT << 0;
    }
    void signalsOfAnyRankReachAll()
    {
        QFETCH(int, signal);
        QFETCH(int, checkpoints);
        WorkerRun run(endless(2));
        run.start();
        waitForSteps(run);
        ::kill(static_cast<pid_t>(run.rank(1).processId()), signal);
        QCOMPARE(run.wait(), std::vector<int>(2, 0));
        QCOMPARE(static_cast<int>(run.folder().checkpointSteps().size()), checkpoints);
        QCOMPARE(run.lastText("end", "outcome"), std::string("stopped"));
    }

    /// Signals may arrive during any computation: the frame of a signal handler once overwrote memory of a matrix product.
    void manySignalsHarmNothing()
    {
        auto experiment = endless(2);
        experiment.set("checkpoint.keep", std::int64_t {1});
        WorkerRun run(experiment);
        run.start();
        waitForSteps(run);
        for (int i = 0; i < 60; ++i) {
            const std::size_t steps = run.metric("loss").size();
            for (const int rank : {0, 1})
                ::kill(static_cast<pid_t>(run.rank(rank).processId()), SIGUSR1);
            QTRY_VERIFY_WITH_TIMEOUT(run.metric("loss").size() > steps, 60000);
        }
        ::kill(static_cast<pid_t>(run.rank(0).processId()), SIGTERM);
        QCOMPARE(run.wait(), std::vector<int>(2, 0));
        QVERIFY(run.folder().checkpointSteps().size() >= 1U);
    }

    void attemptsKeepTheirOwnProfiles_defect_18()
    {
        auto experiment = tests::smallExperiment(1);
        experiment.set("run.total_steps", std::int64_t {2});
        experiment.set("run.profile_steps", std::string("2"));
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(1, 0));
        QCOMPARE(run.lastEvent("profile"), std::string("profile/steps-2-2-rank-0.json"));
        run.prepareAttempt(experiment);
        QCOMPARE(run.run(), std::vector<int>(1, 0));
        QCOMPARE(run.lastEvent("profile"), std::string("profile/steps-2-2-attempt-2-rank-0.json"));
        for (const char* name : {"profile/steps-2-2-rank-0.json", "profile/steps-2-2-attempt-2-rank-0.json"})
            QVERIFY2(fs::file_size(run.folder().root() / name) > 1000, name);
    }

    void aGeneratingRankSaysThatItsPeerIsGone_data()
    {
        QTest::addColumn<int>("killed");
        QTest::newRow("defect-37: rank 0, which has the store") << 0;
        QTest::newRow("defect-37: rank 1") << 1;
    }
    void aGeneratingRankSaysThatItsPeerIsGone()
    {
        QFETCH(int, killed);
        WorkerRun run(tests::smallExperiment(2));
        contract::ImageRequest request;
        request.model = ATELIER_SOURCE_DIR "/tests/goldens/models/pipeline_sd3/pipeline";
        request.prompts = {"a red cube", "a blue cube"};
        request.steps = 300;
        request.width = request.height = 64;
        request.dtype = "fp32";
        request.device = "cpu";
        request.folder = run.folder().root().string();
        const fs::path file = run.folder().root() / "request.json";
        contract::writeImageRequest(file, request);
        run.startGenerating(file);
        QByteArray output;
        QTRY_VERIFY2_WITH_TIMEOUT((output += run.rank(0).readAll()).contains("step 3 of 300"), output.constData(), 60000);
        ::kill(static_cast<pid_t>(run.rank(killed).processId()), SIGKILL);
        QProcess& other = run.rank(1 - killed);
        QTRY_COMPARE_WITH_TIMEOUT(other.state(), QProcess::NotRunning, 200000);  // a sanitizer looks for leaks first
        output = other.readAll();
        QCOMPARE(other.exitStatus(), QProcess::NormalExit);
        QVERIFY2(other.exitCode() == 3 && output.contains(killed == 0 ? "error: rank 1: " : "error: rank 0: "), output.constData());
    }

    void profilesTheStepsAskedFor()
    {
        auto experiment = tests::smallExperiment(2);
        experiment.set("run.total_steps", std::int64_t {6});
        experiment.set("run.profile_steps", std::string("3..4"));
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(2, 0));
        for (const char* name : {"profile/steps-3-4-rank-0.json", "profile/steps-3-4-rank-1.json"}) {
            QFile file(QString::fromStdString((run.folder().root() / name).string()));
            QVERIFY2(file.open(QIODevice::ReadOnly), name);
            const QJsonDocument trace = QJsonDocument::fromJson(file.readAll());
            QMap<QString, int> ranges;
            for (const QJsonValue& event : trace.object().value("traceEvents").toArray()) {
                if (event["ph"] == QStringLiteral("X"))
                    ++ranges[event["name"].toString()];
            }
            QCOMPARE(ranges["update of the weights"], 2);
            QCOMPARE(ranges["forward of blocks.0"], 2);
            QCOMPARE(ranges["backward of blocks.2"], 2);
            QCOMPARE(ranges["wait for reduction of blocks.1"], 2);
            QVERIFY(ranges.keys().filter("aten::").size() > 3);
        }
        QCOMPARE(run.lastEvent("profile"), std::string("profile/steps-3-4-rank-0.json"));
    }

    void sharesOfThePeakAreJournalled_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::newRow("E-207 1 rank") << 1;
        QTest::newRow("E-207 2 ranks") << 2;
    }
    void sharesOfThePeakAreJournalled()
    {
        QFETCH(int, ranks);
        auto experiment = tests::smallExperiment(ranks);
        experiment.set("run.peak_tflops", 0.5);
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
        const auto step = run.metric("time/step_ms"), mfu = run.metric("perf/mfu");
        QCOMPARE(mfu.size(), 20U);
        // 16 tokens of 4 pixels, width 32, 3 blocks: 12 weights of 32² a token and block, 6 of 32² a sample and block.
        const double weights = 16 * (2 * 4 * 32 + 3 * 12 * 1024) + (256 * 32 + 1024) + 3 * 6 * 1024 + 2 * 1024;
        const double attention = 3 * 2 * 16 * 16 * 32;
        for (const auto& [number, share] : mfu) {
            const double perSecond = 3 * 2 * (weights + attention) * 24 / (step.at(number) / 1000) / ranks;
            QVERIFY(std::abs(share - perSecond / 0.5e12) < 1e-9);
            QVERIFY(std::abs(run.metric("perf/tflops").at(number) - perSecond / 1e12) < 1e-9);
        }
    }

    void aRankOutOfMemorySaysWhereAndWhatWouldHelp()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("a sanitizer's own memory does not fit into a limited address space");
#endif
        auto experiment = tests::smallExperiment(1);
        experiment.set("batch.micro", std::int64_t {60000});
        WorkerRun run(experiment);
        run.limitMemory(std::uint64_t {3} << 30);
        QCOMPARE(run.run(), std::vector<int>(1, 4));
        const QString cause = QString::fromStdString(run.lastText("end", "cause"));
        const QRegularExpression expected("^rank 0: out of memory: could not allocate \\d+ MiB in forward of "
                                          "blocks\\.\\d at step 1; engine.compute_dtype = bf16, "
                                          "engine.recompute = all, batch.micro below 60000 .* or more ranks need less$");
        QVERIFY2(expected.match(cause).hasMatch(), qPrintable(cause));
    }

    void blocksThatTheModelHasNotAreNamed_E031()
    {
        auto experiment = tests::smallExperiment(1);
        experiment.set("engine.recompute", std::string("blocks.0, blocks.99"));
        WorkerRun run(experiment);
        QVERIFY(run.run() != std::vector<int>(1, 0));
        const QString cause = QString::fromStdString(run.lastText("end", "cause"));
        QVERIFY2(cause.contains("engine.recompute: the model has no blocks.99; its blocks are blocks.0 to blocks."), qPrintable(cause));
    }

    void commandsOfAFormerAttemptAreNotRepeated()
    {
        auto experiment = tests::smallExperiment(1);
        WorkerRun run(experiment);
        contract::appendCommand(run.folder().control(), contract::Command::Stop);
        run.prepareAttempt(experiment);
        QCOMPARE(run.run(), std::vector<int>(1, 0));
        QCOMPARE(run.lastText("end", "outcome"), std::string("finished"));
    }

    void nonFiniteStepsAreSkippedAndCounted()
    {
        auto experiment = tests::smallExperiment(2);
        experiment.set("optim.lr", 100.0);  // the second step's weights overflow the forward pass
        experiment.set("optim.clip_norm", 0.0);
        experiment.set("engine.compute_dtype", std::string("bf16"));
        experiment.set("optim.eps", 0.0);
        experiment.set("run.total_steps", std::int64_t {60});
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(2, 0));
        std::int64_t nonFinite = 0;
        for (const auto& [step, norm] : run.metric("grad_norm"))
            nonFinite += std::isfinite(norm) ? 0 : 1;
        QVERIFY(nonFinite > 0);
        QCOMPARE(run.metric("skipped_steps").rbegin()->second, static_cast<double>(nonFinite));
        QCOMPARE(run.metric("loss").size(), 60U);
    }

    void aFullDiskCostsACheckpointAndNotTheRun()
    {
        auto experiment = tests::smallExperiment(2);
        experiment.set("checkpoint.every", std::int64_t {5});
        WorkerRun run(experiment);
        const fs::path folder = run.folder().checkpoints();
        fs::create_directories(folder);
        if (::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=400k") != 0)
            QSKIP("only root can mount the small disk that this test fills");
        const auto unmount = qScopeGuard([&] { ::umount2(folder.c_str(), MNT_DETACH); });
        QCOMPARE(run.run(), std::vector<int>(2, 0));
        QCOMPARE(run.lastText("end", "outcome"), std::string("finished"));
        const QString told = QString::fromStdString(run.lastText("event", "message"));
        QVERIFY2(told.contains("checkpoint not written"), qPrintable(told));
        for (const auto step : run.folder().checkpointSteps())
            contract::readManifest(run.folder().checkpoint(step));  // throws when not whole
    }

    void wrongUsageIsOneSentence_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("rank");
        QTest::addColumn<QString>("said");
        QTest::newRow("no arguments") << QStringList {} << "0" << "--run, --generate or --plan is required";
        QTest::newRow("unknown argument") << QStringList {"--fast", "1"} << "0" << "unknown argument --fast";
        QTest::newRow("bad rank") << QStringList {"--run", "x", "--attempt", "1"} << "7" << "RANK = \"7\"";
        QTest::newRow("no such run") << QStringList {"--run", "/nowhere", "--attempt", "1"} << "0" << "/nowhere";
    }
    void wrongUsageIsOneSentence()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, rank);
        QFETCH(QString, said);
        QProcess worker;
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert("WORLD_SIZE", "2");
        environment.insert("RANK", rank);
        environment.insert("MASTER_PORT", "29500");
        worker.setProcessEnvironment(environment);
        worker.start(QStringLiteral(ATELIER_BIN_DIR "/atelier-worker"), arguments);
        QVERIFY(worker.waitForFinished(60000));
        QVERIFY(worker.exitCode() == 1 || worker.exitCode() == 2);
        const QString error = QString::fromUtf8(worker.readAllStandardError());
        QVERIFY2(error.contains(said) && error.trimmed().count('\n') == 0, qPrintable(error));
    }
};

QTEST_GUILESS_MAIN(WorkerTest)
#include "tst_worker.moc"
