// How ranks that train follow commands and signals.
#include "tests/engine/worker/worker_run.h"

#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/run/control.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

#include <csignal>

using tests::WorkerRun;

class WorkerCommandsTest : public QObject {
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
    void initTestCase() { WorkerRun::startProgram(); }

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

    void commandsOfAFormerAttemptAreNotRepeated()
    {
        auto experiment = tests::smallExperiment(1);
        WorkerRun run(experiment);
        contract::appendCommand(run.folder().control(), contract::Command::Stop);
        run.prepareAttempt(experiment);
        QCOMPARE(run.run(), std::vector<int>(1, 0));
        QCOMPARE(run.lastText("end", "outcome"), std::string("finished"));
    }
};

QTEST_GUILESS_MAIN(WorkerCommandsTest)
#include "tst_worker_commands.moc"
