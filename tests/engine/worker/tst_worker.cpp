// What ranks write into a run's folder while they train: records, images, checkpoints and profiles.
#include "tests/engine/worker/worker_run.h"

#include "engine/contract/checkpoint/checkpoint_manifest.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

#include <cmath>
#include <csignal>
#include <filesystem>

using tests::WorkerRun;
namespace fs = std::filesystem;

class WorkerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { WorkerRun::startProgram(); }

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

    /// M5: what is silent for long counts as stalled, and is started again where the experiment says so.
    void M5_samplesThatTakeLongAreNoSilence()
    {
        auto experiment = tests::smallExperiment(1);
        experiment.set("run.total_steps", std::int64_t {2});
        experiment.set("launch.stall_after", std::int64_t {5});
        experiment.set("sample.steps", std::int64_t {1000});
        experiment.set("sample.per_label", std::int64_t {64});
        WorkerRun run(experiment);
        run.start();
        QTRY_VERIFY_WITH_TIMEOUT(run.countOf("activity", "message", "draws samples") >= 2, 60000);
        ::kill(static_cast<pid_t>(run.rank(0).processId()), SIGKILL);
        run.wait();
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
                if (event["ph"] == QStringLiteral("X") && event["cat"] != QStringLiteral("gpu_user_annotation"))  // the same ranges again
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
};

QTEST_GUILESS_MAIN(WorkerTest)
#include "tst_worker.moc"
