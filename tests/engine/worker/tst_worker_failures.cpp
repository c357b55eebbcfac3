// What ranks say when something goes wrong, and which failures end a run.
#include "tests/engine/worker/worker_run.h"
#include "tests/paths.h"
#include "tests/support/whole_test.h"

#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/run/image_request.h"

#include <QRegularExpression>
#include <QtTest>

#include <sys/mount.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <utility>

using tests::WorkerRun;
namespace fs = std::filesystem;

namespace {

/// A disk of its own for a folder, which can be filled.
class SmallDisk {
public:
    explicit SmallDisk(fs::path folder)
        : m_folder(std::move(folder))
    {
        fs::create_directories(m_folder);
        isMounted = ::mount("tmpfs", m_folder.c_str(), "tmpfs", 0, "size=8m") == 0;
    }
    ~SmallDisk()
    {
        if (isMounted)
            ::umount2(m_folder.c_str(), MNT_DETACH);
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    void fill() const
    {
        std::ofstream file(filling());
        const std::string block(4096, 'x');
        while (file.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) { }
    }
    void empty() const { fs::remove(filling()); }

    bool isMounted = false;

private:
    fs::path filling() const { return m_folder / "filling"; }
    fs::path m_folder;
};

void sendToRankZero(WorkerRun& run, int signal) { ::kill(static_cast<pid_t>(run.rank(0).processId()), signal); }

}  // namespace

class WorkerFailuresTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { WorkerRun::startProgram(); }

    void aGeneratingRankSaysThatItsPeerIsGone_data()
    {
        QTest::addColumn<int>("killed");
        QTest::newRow("defect-37: rank 0, which has the store") << 0;
        if (tests::isWhole())
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
        auto& other = run.rank(1 - killed);
        QVERIFY(other.waitForFinished(200000));  // a sanitizer looks for leaks first
        output = other.readAll();
        QVERIFY2(other.exitCode() == 3 && output.contains(killed == 0 ? "error: rank 1: " : "error: rank 0: "), output.constData());
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
                                          "blocks\\.\\d; engine.compute_dtype = bf16, "
                                          "engine.recompute_layers = true, engine.recompute = all, batch.micro below 60000 .* or more ranks need less$");
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

    void nonFiniteStepsAreSkippedAndCounted()
    {
        auto experiment = tests::smallExperiment(2);
        experiment.set("optim.lr", 100.0);  // the second step's weights overflow the forward pass
        experiment.set("optim.clip_norm", 0.0);
        experiment.set("engine.compute_dtype", std::string("bf16"));
        experiment.set("optim.eps", 0.0);
        experiment.set("run.total_steps", std::int64_t {60});
        experiment.set("validation.every", std::int64_t {30});
        experiment.set("ema.use", false);
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(2, 0));
        std::int64_t nonFinite = 0;
        for (const auto& [step, norm] : run.metric("grad_norm"))
            nonFinite += std::isfinite(norm) ? 0 : 1;
        QVERIFY(nonFinite > 0);
        QCOMPARE(run.metric("skipped_steps").rbegin()->second, static_cast<double>(nonFinite));
        QVERIFY(run.hasText("event", "message", std::to_string(nonFinite) + " of 60 steps were skipped, because the gradient norm was not finite"));
        QCOMPARE(run.metric("loss").size(), 60U);
        // What such a model is worth is recorded as it is, and nothing is drawn of it.
        QCOMPARE(run.metric("validation/loss").size(), 2U);
        QVERIFY(!std::isfinite(run.metric("validation/loss").at(60)));
        QVERIFY(run.hasText("event", "message", "10 of the 10 samples of step 60 came out as NaN or infinite and were not written"));
        QVERIFY(!run.hasText("sample", "file", "step-00000060"));
    }

    void aFullDiskCostsACheckpointAndNotTheRun()
    {
        auto experiment = tests::smallExperiment(2);
        experiment.set("checkpoint.every", std::int64_t {5});
        WorkerRun run(experiment);
        const SmallDisk disk(run.folder().checkpoints());
        if (!disk.isMounted)
            QSKIP("only root can mount the small disk that this test fills");
        disk.fill();
        run.start();
        QTRY_VERIFY_WITH_TIMEOUT(run.hasText("event", "message", "checkpoint not written"), 60000);
        disk.empty();
        sendToRankZero(run, SIGUSR1);  // if training is over, the last checkpoint is tried again without a pause
        QCOMPARE(run.wait(), std::vector<int>(2, 0));
        QCOMPARE(run.lastText("end", "outcome"), std::string("finished"));
        const std::vector<std::int64_t> steps = run.folder().checkpointSteps();
        QVERIFY(!steps.empty());
        QCOMPARE(steps.back(), experiment.integer("run.total_steps"));
        for (const auto step : steps)
            contract::readManifest(run.folder().checkpoint(step));  // throws when not whole
    }

    void aRunWithoutItsLastCheckpointHasFailed()
    {
        WorkerRun run(tests::smallExperiment(2));
        const SmallDisk disk(run.folder().checkpoints());
        if (!disk.isMounted)
            QSKIP("only root can mount the small disk that this test fills");
        disk.fill();
        run.start();
        QTRY_VERIFY_WITH_TIMEOUT(run.hasText("event", "message", "waits up to ten minutes"), 60000);
        sendToRankZero(run, SIGUSR1);  // tries again at once
        QTRY_VERIFY_WITH_TIMEOUT(run.hasText("activity", "message", "tries again to write the last checkpoint"), 60000);
        QCOMPARE(run.countOf("event", "message", "checkpoint not written"), 1);  // said once
        sendToRankZero(run, SIGINT);  // stop now
        QCOMPARE(run.wait(), (std::vector<int> {1, 3}));
        QCOMPARE(run.lastText("end", "outcome"), std::string("failed"));
        const QString cause = QString::fromStdString(run.lastText("end", "cause"));
        QVERIFY2(cause.contains("the last one, could not be written: ") && cause.contains("No space left on device"), qPrintable(cause));
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

    void helpIsShownAmongOtherArguments()
    {
        QProcess worker;
        worker.start(QStringLiteral(ATELIER_BIN_DIR "/atelier-worker"), {"--run", "/nowhere", "--help"});
        QVERIFY(worker.waitForFinished(60000));
        QCOMPARE(worker.exitCode(), 0);
        QVERIFY(worker.readAllStandardOutput().startsWith("usage: "));
    }
};

QTEST_GUILESS_MAIN(WorkerFailuresTest)
#include "tst_worker_failures.moc"
