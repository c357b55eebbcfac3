// `atelier run` and the commands that control a run: the real program, supervisor and database with fake ranks.
#include "tests/app/atelier_program.h"

#include "engine/contract/run/journal_parser.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/state/run_state.h"
#include "storage/store.h"

#include <QFile>
#include <QJsonObject>
#include <QtTest>

#include <csignal>
#include <filesystem>
#include <fstream>

using launcher::RunState;
using tests::AtelierProgram;
using tests::Outcome;
using tests::kEndless;
using tests::kTimeoutMs;

namespace {

/// Arguments that run the digits experiment with @p steps steps.
QStringList digitsRun(int steps)
{
    return {"run", "digits", "--set", "run.total_steps=" + QString::number(steps)};
}

RunState stateOf(const contract::RunFolder& folder) { return launcher::inspectRun(folder).state; }

}  // namespace

class TrainingTest : public QObject {
    Q_OBJECT

    /// Starts an endless run in the foreground and waits until it has trained some steps.
    static std::unique_ptr<QProcess> startEndless(AtelierProgram& atelier)
    {
        auto process = atelier.start(digitsRun(kEndless));
        waitForSteps(atelier);
        return process;
    }
    static void checkpointNow(AtelierProgram& atelier)
    {
        QCOMPARE(atelier.run({"checkpoint", "latest"}).exitCode, 0);
        QTRY_VERIFY_WITH_TIMEOUT(!atelier.onlyRun().checkpointSteps().empty(), kTimeoutMs);
    }
    static void waitForSteps(const AtelierProgram& atelier)
    {
        QTRY_COMPARE_WITH_TIMEOUT(atelier.runs().size(), 1, kTimeoutMs);
        QTRY_VERIFY_WITH_TIMEOUT(launcher::inspectRun(atelier.onlyRun()).step > 2, kTimeoutMs);
    }

private Q_SLOTS:
    void runsToItsEndAndSaysWhereThingsAre()
    {
        AtelierProgram atelier;
        const Outcome outcome = atelier.run(digitsRun(20));
        QVERIFY2(outcome.exitCode == 0 && outcome.errors.isEmpty(), outcome.report());
        const contract::RunFolder folder = atelier.onlyRun();
        QCOMPARE(stateOf(folder), RunState::Finished);
        for (const std::string& part : {folder.id(), folder.root().string(), folder.samples().string(),
                 folder.checkpoints().string(), std::string("step 20/20 (100 %)"), std::string("Finished after step 20, loss ")})
            QVERIFY2(outcome.output.contains(QByteArray::fromStdString(part)), outcome.report() + part.c_str());
        QVERIFY(!folder.checkpointSteps().empty());
        QCOMPARE(atelier.run({"checkpoints", "verify", "latest"}).exitCode, 0);
    }

    void whatBecameOfACheckpointIsNamed_data()
    {
        QTest::addColumn<QString>("damage");
        QTest::newRow("defect-30: an emptied folder") << "empty";
        QTest::newRow("defect-30: a dangling manifest") << "manifest";
        QTest::newRow("defect-30: a dangling folder") << "folder";
        QTest::newRow("defect-30: a folder that is gone") << "gone";
    }
    void whatBecameOfACheckpointIsNamed()
    {
        QFETCH(QString, damage);
        AtelierProgram atelier;
        QCOMPARE(atelier.run(digitsRun(20)).exitCode, 0);
        const auto checkpoint = atelier.onlyRun().checkpoint(20);
        QVERIFY(std::filesystem::exists(checkpoint));
        std::filesystem::remove_all(checkpoint);
        if (damage == "folder")
            std::filesystem::create_symlink("nowhere", checkpoint);
        else if (damage != "gone")
            std::filesystem::create_directory(checkpoint);
        if (damage == "manifest")
            std::filesystem::create_symlink("nowhere", checkpoint / "manifest.json");
        const Outcome verified = atelier.run({"checkpoints", "verify", "latest"});
        const Outcome listed = atelier.run({"checkpoints", "list", "latest"});
        if (damage == "gone") {
            QVERIFY2(verified.exitCode == 0 && verified.output.contains("removed what the journal lists as written at step 20"), verified.report());
            return;
        }
        QVERIFY2(verified.exitCode == 1 && verified.errors.contains("the only checkpoint") && verified.errors.contains("step-20"), verified.report());
        QVERIFY2(listed.exitCode == 0 && listed.output.contains("damaged") && listed.output.contains("step-20"), listed.report());
        const Outcome exported = atelier.run({"checkpoints", "export", "latest", "--to", atelier.writeFile("weights", {}) + "-folder"});
        QVERIFY2(exported.exitCode == 1 && exported.errors.contains("step-20"), exported.report());
        const Outcome resumed = atelier.run({"resume", "latest", "--set", "run.total_steps=30"});
        QVERIFY2(resumed.exitCode == 1 && resumed.errors.contains("every checkpoint of run") && resumed.errors.contains("step-20"), resumed.report());
    }

    void databaseHasEverythingWhenTheRunHasEnded()
    {
        AtelierProgram atelier;
        QCOMPARE(atelier.run(digitsRun(20)).exitCode, 0);
        // Reads the database without catching up: the supervisor has updated it.
        const storage::Store store(atelier.home().database(), storage::Store::Open::ReadOnly);
        const auto run = store.run(atelier.onlyRun().id());
        QVERIFY(run);
        QCOMPARE(run->outcome, "finished");
        QCOMPARE(run->lastStep, std::int64_t(20));
        QVERIFY(run->lastLoss);
    }

    void databaseFollowsWhileTheRunGoesOn()
    {
        AtelierProgram atelier;
        const auto process = startEndless(atelier);
        const std::string id = atelier.onlyRun().id();
        const auto lastStep = [&] {
            const storage::Store store(atelier.home().database(), storage::Store::Open::ReadOnly);
            const auto run = store.run(id);
            return run ? run->lastStep : 0;
        };
        QTRY_VERIFY_WITH_TIMEOUT(std::filesystem::exists(atelier.home().database()), kTimeoutMs);
        QTRY_VERIFY_WITH_TIMEOUT(lastStep() > 3, kTimeoutMs);
        const std::int64_t step = lastStep();
        QTRY_VERIFY_WITH_TIMEOUT(lastStep() > step + 10, kTimeoutMs);
    }

    void jsonOutcomeIsAllOfStandardOutput()
    {
        AtelierProgram atelier;
        const Outcome outcome = atelier.run(digitsRun(5) + QStringList {"--json"});
        const QJsonObject document = outcome.json().object();
        QCOMPARE(document["outcome"].toString(), "finished");
        QCOMPARE(document["step"].toInt(), 5);
        QVERIFY2(document["metrics"].toObject().contains("loss"), outcome.report());
    }

    void nameIsTheRunsName()
    {
        AtelierProgram atelier;
        QCOMPARE(atelier.run(digitsRun(2) + QStringList {"--name", "My first"}).exitCode, 0);
        QVERIFY(atelier.onlyRun().id().starts_with("my-first-"));
        QCOMPARE(atelier.run({"show", "My first", "--json"}).json()["name"].toString(), "My first");
    }

    void m05_ctrlCStopsWithACheckpoint()
    {
        AtelierProgram atelier;
        const auto process = startEndless(atelier);
        ::kill(static_cast<pid_t>(process->processId()), SIGINT);
        QVERIFY(process->waitForFinished(kTimeoutMs));
        QCOMPARE(process->exitCode(), 0);
        QCOMPARE(stateOf(atelier.onlyRun()), RunState::Stopped);
        QCOMPARE(atelier.onlyRun().checkpointSteps().size(), std::size_t(1));
        QVERIFY(process->readAllStandardOutput().contains("atelier resume " + QByteArray::fromStdString(
            atelier.onlyRun().id())));
    }

    void m05_secondCtrlCKills()
    {
        AtelierProgram atelier;
        atelier.setVariable("FAKE_DO", "deaf");  // ranks that ignore the first Ctrl+C
        const auto process = startEndless(atelier);
        const auto pid = static_cast<pid_t>(process->processId());
        ::kill(pid, SIGINT);
        QByteArray output;
        QTRY_VERIFY_WITH_TIMEOUT((output += process->readAllStandardOutput()).contains("Ctrl+C again"), kTimeoutMs);
        ::kill(pid, SIGINT);
        QVERIFY(process->waitForFinished(kTimeoutMs));
        QCOMPARE(process->exitCode(), 130);
        QVERIFY(!launcher::isActive(stateOf(atelier.onlyRun())));
    }

    void m06_closedTerminalLeavesTrainingOn()
    {
        AtelierProgram atelier;
        const auto process = startEndless(atelier);
        ::kill(static_cast<pid_t>(process->processId()), SIGHUP);
        QVERIFY(process->waitForFinished(kTimeoutMs));
        QCOMPARE(process->exitCode(), 0);
        const std::int64_t step = launcher::inspectRun(atelier.onlyRun()).step;
        QTRY_VERIFY(launcher::inspectRun(atelier.onlyRun()).step > step);
        const Outcome stopped = atelier.run({"stop", "latest", "--wait"});
        QVERIFY2(stopped.exitCode == 0 && stopped.output.contains("is stopped"), stopped.report());
    }

    void m06_killedFollowerLeavesTrainingOn()
    {
        AtelierProgram atelier;
        const auto process = startEndless(atelier);
        process->kill();
        QVERIFY(process->waitForFinished(kTimeoutMs));
        const std::int64_t step = launcher::inspectRun(atelier.onlyRun()).step;
        QTRY_VERIFY(launcher::inspectRun(atelier.onlyRun()).step > step);
    }

    void m05_stopFromAnotherTerminalEndsTheFirst()
    {
        AtelierProgram atelier;
        const auto process = startEndless(atelier);
        const Outcome stop = atelier.run({"stop", "latest"});
        QVERIFY2(stop.exitCode == 0 && stop.output.contains("with a checkpoint"), stop.report());
        QVERIFY(process->waitForFinished(kTimeoutMs));
        QCOMPARE(process->exitCode(), 0);
    }

    void m01_killedSupervisorIsAnInterruptionThatCanBeResumed()
    {
        AtelierProgram atelier;
        const auto process = startEndless(atelier);
        checkpointNow(atelier);
        ::kill(static_cast<pid_t>(contract::lockOwner(atelier.onlyRun())->processId), SIGKILL);
        QVERIFY(process->waitForFinished(kTimeoutMs));
        QCOMPARE(process->exitCode(), 1);
        QVERIFY(process->readAllStandardError().contains("was interrupted"));
        QCOMPARE(stateOf(atelier.onlyRun()), RunState::Interrupted);

        const auto last = atelier.onlyRun().checkpointSteps().back();
        const Outcome resumed = atelier.run({"resume", "latest", "--set",
            "run.total_steps=" + QString::number(last + 5)});
        QVERIFY2(resumed.exitCode == 0, resumed.report());
        QCOMPARE(atelier.onlyRun().attempts().size(), std::size_t(2));
        QCOMPARE(stateOf(atelier.onlyRun()), RunState::Finished);
    }

    void n01_exportMarksWhatAResumeOvertook()
    {
        AtelierProgram atelier;
        QCOMPARE(atelier.run(digitsRun(kEndless) + QStringList {"--detach"}).exitCode, 0);
        waitForSteps(atelier);
        checkpointNow(atelier);
        const std::int64_t parent = atelier.onlyRun().checkpointSteps().front();
        QTRY_VERIFY_WITH_TIMEOUT(launcher::inspectRun(atelier.onlyRun()).step > parent + 3, kTimeoutMs);
        QCOMPARE(atelier.run({"stop", "latest", "--now", "--wait"}).exitCode, 0);
        const QString end = QString::number(parent + 3);
        const Outcome resumed = atelier.run(
            {"resume", "latest", "--from", QString::number(parent), "--set", "run.total_steps=" + end});
        QVERIFY2(resumed.exitCode == 0, resumed.report());

        std::int64_t valid = 0;
        for (const QByteArray& line : atelier.run({"export", "latest", "--csv"}).output.split('\n')) {
            if (!line.startsWith("loss,0,"))
                continue;
            const auto cells = line.split(',');
            QCOMPARE(cells[6] == "true", cells[2] == "1" && cells[3].toLongLong() > parent);
            valid += cells[6] == "false";
        }
        QCOMPARE(valid, parent + 3);
    }

    void m05_aFinishedRunIsResumedWithMoreSteps()
    {
        AtelierProgram atelier;
        QCOMPARE(atelier.run(digitsRun(3)).exitCode, 0);
        const QByteArray more = "atelier resume " + QByteArray::fromStdString(atelier.onlyRun().id())
            + " --set run.total_steps=6";
        const Outcome nothingLeft = atelier.run({"resume", "latest"});
        QVERIFY2(nothingLeft.exitCode == 1 && nothingLeft.errors.contains("has finished all its 3 steps")
                && nothingLeft.errors.contains(more), nothingLeft.report());
        QCOMPARE(atelier.onlyRun().attempts().size(), std::size_t(1));
        const Outcome resumed = atelier.run({"resume", "latest", "--set", "run.total_steps=6"});
        QVERIFY2(resumed.exitCode == 0, resumed.report());
        QCOMPARE(launcher::inspectRun(atelier.onlyRun()).step, 6);
    }

    void defect46_showCountsThePointsOfAllAttempts()
    {
        AtelierProgram atelier;
        QCOMPARE(atelier.run(digitsRun(10)).exitCode, 0);
        for (const char* steps : {"20", "30"})
            QCOMPARE(atelier.run({"resume", "latest", "--set", QStringLiteral("run.total_steps=") + steps}).exitCode, 0);
        QMap<QString, int> exported;
        for (const QByteArray& line : tests::linesOf(atelier.run({"export", "latest", "--csv"}).output))
            ++exported[QString::fromUtf8(line.split(',').front())];
        exported.remove("metric");  // the header
        QCOMPARE(exported["loss"], 2 * 30);  // of two ranks
        const Outcome shown = atelier.run({"show", "latest", "--json"});
        const QJsonObject metrics = shown.json()["metrics"].toObject();
        QCOMPARE(metrics.keys(), exported.keys());
        for (const QString& name : metrics.keys())
            QCOMPARE(metrics[name].toObject()["points"].toInt(), exported[name]);
        QCOMPARE(metrics["loss"].toObject()["last_step"].toInt(), 30);
    }

    void defect50_resumeTakesTheNewestOfTheRunsOfAName()
    {
        AtelierProgram atelier;
        atelier.setVariable("FAKE_DO", "exit");
        QCOMPARE(atelier.run(digitsRun(3) + QStringList {"--name", "mine"}).exitCode, 1);
        const QString first = atelier.runs().front();
        atelier.setVariable("FAKE_DO", "");
        QCOMPARE(atelier.run(digitsRun(3) + QStringList {"--name", "mine"}).exitCode, 0);
        QStringList runs = atelier.runs();
        runs.removeOne(first);
        const Outcome resumed = atelier.run({"resume", "mine", "--set", "run.total_steps=5", "--json"});
        QVERIFY2(resumed.exitCode == 0, resumed.report());
        QCOMPARE(resumed.json()["run"].toString(), runs.front());
        QVERIFY2(resumed.errors.contains("names 2 runs; the newest is taken: " + runs.front().toUtf8()), resumed.report());
        const Outcome removed = atelier.run({"rm", "mine", "--yes"});
        QVERIFY2(removed.exitCode == 1 && removed.errors.contains("names 2 runs: "), removed.report());
    }

    void resumeFromACheckpointThatIsNotThereSaysSo()
    {
        AtelierProgram atelier;
        QCOMPARE(atelier.run(digitsRun(3)).exitCode, 0);
        const Outcome outcome = atelier.run({"resume", "latest", "--from", "77"});
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains("77"), outcome.report());
        QCOMPARE(atelier.onlyRun().attempts().size(), std::size_t(1));
    }

    void detachReturnsWhileTrainingGoesOn()
    {
        AtelierProgram atelier;
        const Outcome outcome = atelier.run(digitsRun(kEndless) + QStringList {"--detach", "--json"});
        QVERIFY2(outcome.exitCode == 0, outcome.report());
        QCOMPARE(outcome.json()["run"].toString().toStdString(), atelier.onlyRun().id());
        waitForSteps(atelier);
        const Outcome busy = atelier.run({"rm", "latest", "--yes"});
        QVERIFY2(busy.exitCode == 1 && atelier.runs().size() == 1, busy.report());
        const Outcome again = atelier.run({"resume", "latest"});
        QVERIFY2(again.exitCode == 1, again.report());
        QCOMPARE(atelier.run({"stop", "latest", "--kill", "--wait"}).exitCode, 0);
        QVERIFY(!launcher::isActive(stateOf(atelier.onlyRun())));
    }

    void failedRankIsAFailureWithItsCause()
    {
        AtelierProgram atelier;
        atelier.setVariable("FAKE_DO", "exit");
        atelier.setVariable("FAKE_RANK", "1");
        const Outcome outcome = atelier.run(digitsRun(kEndless));
        QVERIFY2(outcome.exitCode == 1, outcome.report());
        QVERIFY2(outcome.errors.contains("failed: ") && outcome.errors.count("the fake was told to fail") == 1,
            outcome.report());  // defect 50: one sentence, although ranks and supervisor report it
        QVERIFY2(outcome.errors.contains(QByteArray::fromStdString(atelier.onlyRun().logs().string())),
            outcome.report());
        QVERIFY(atelier.run({"show", "latest"}).output.contains("the fake was told to fail"));
    }

    void workerThatIsNotThereIsToldBeforeAnythingStarts()
    {
        AtelierProgram atelier;
        atelier.setVariable("ATELIER_WORKER", "/nowhere/atelier-worker");
        const Outcome outcome = atelier.run(digitsRun(5));
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains("/nowhere/atelier-worker"), outcome.report());
        QVERIFY(atelier.runs().isEmpty());
    }

    void m15_brokenDatabaseNeverStopsTraining()
    {
        AtelierProgram atelier;
        std::filesystem::create_directories(atelier.home().data);
        std::ofstream(atelier.home().database()) << std::string(100000, 'x');
        const Outcome outcome = atelier.run(digitsRun(20));
        QVERIFY2(outcome.exitCode == 0, outcome.report());
        QVERIFY(atelier.run({"list"}).errors.contains("reindex"));
        QCOMPARE(atelier.run({"reindex"}).exitCode, 0);
        QCOMPARE(atelier.run({"list", "--json"}).json()[0]["step"].toInt(), 20);
    }
};

QTEST_GUILESS_MAIN(TrainingTest)
#include "tst_training.moc"
