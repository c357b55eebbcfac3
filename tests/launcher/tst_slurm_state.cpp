// The state of runs in Slurm, from what Slurm said last, locks and journals; and the job's script, run with srun and scontrol replaced.
#include "engine/contract/run/control.h"
#include "engine/contract/run/journal_writer.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/base/file_end.h"
#include "launcher/queue/queue.h"
#include "launcher/runs/launch.h"
#include "launcher/slurm/slurm_client.h"
#include "launcher/slurm/slurm_job.h"
#include "launcher/slurm/slurm_script.h"
#include "tests/launcher/run_facts.h"
#include "tests/launcher/test_home.h"

#include <QFile>
#include <QProcess>
#include <QtTest>

#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>
#include <optional>

using launcher::RunState;
using launcher::SlurmSighting;
namespace fs = std::filesystem;

class SlurmStateTest : public QObject {
    Q_OBJECT

    std::optional<TestHome> m_test;
    std::optional<contract::RunFolder> m_folder;
    std::optional<contract::SupervisorLock> m_lock;

    contract::Experiment forSlurm() const
    {
        contract::Experiment experiment = m_test->experiment();
        experiment.set("launch.target", std::string("slurm"));
        return experiment;
    }

    void see(const std::string& state, const std::string& reason = {}, std::int64_t laterMs = 1000)
    {
        launcher::writeSighting(*m_folder, {.id = "12"},
            {.state = state, .reason = reason, .nodes = state == "RUNNING" ? "n[1-2]" : "", .seenUnixMs = launcher::nowUnixMs() + laterMs});
    }

    void writeBegun(std::int64_t journalSize) { std::ofstream(m_folder->root() / "slurm" / "begun") << journalSize << "\n"; }

    /// Rank 0 takes the lock, writes three steps and, unless @p outcome is empty, its end.
    void runRankZero(const char* outcome, const char* cause = "")
    {
        QCOMPARE(m_lock->take(), std::string());
        m_lock->describe(1, true);
        contract::JournalWriter journal(m_folder->journal(0),
            {.version = contract::kJournalVersion, .run = m_folder->id(), .attempt = 1, .rank = 0, .host = {}, .startUnixMs = 0});
        for (std::int64_t step = 1; step <= 3; ++step) {
            journal.begin(contract::record::kStep, step).add("loss", 0.5);
            journal.commit();
        }
        if (*outcome) {
            journal.begin(contract::record::kEnd, 3).add("outcome", std::string_view(outcome)).add("cause", std::string_view(cause));
            journal.commit();
        }
        m_lock->release();
    }

    void moveRankZeroToAnotherHost()
    {
        std::ifstream stream(m_folder->supervisorLock());
        auto json = nlohmann::json::parse(stream);
        json["host"] = "elsewhere";
        std::ofstream(m_folder->supervisorLock()) << json.dump();
    }

    /// Runs the job's script with an srun that does @p srun. @return what srun and scontrol were given, a line each, then the exit code.
    QStringList runScript(const contract::Experiment& experiment, const contract::RunFolder& folder, const QString& srun)
    {
        const fs::path bin = m_test->path() / "bin";
        fs::create_directories(bin);
        fs::create_directories(launcher::slurmFolder(folder));
        const auto write = [](const fs::path& file, const std::string& text) {
            std::ofstream(file) << text;
            fs::permissions(file, fs::perms::owner_all);
        };
        write(bin / "srun", "#!/bin/bash\nprintf 'srun <%s>\\n' \"$@\"\n" + srun.toStdString());
        write(bin / "scontrol", "#!/bin/sh\necho \"scontrol $*\"\nexit 1\n");  // Slurm would end the script
        write(launcher::slurmScriptFile(folder), launcher::slurmScript(experiment, folder.root(), "/opt/the worker"));
        QProcess script;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("PATH", QString::fromStdString(bin.string()) + ":" + environment.value("PATH"));
        environment.insert("SLURM_JOB_ID", "12");
        script.setProcessEnvironment(environment);
        script.start("bash", {QString::fromStdString(launcher::slurmScriptFile(folder).string())});
        script.waitForFinished();
        return QString::fromUtf8(script.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts) << QString::number(script.exitCode());
    }

    static QString journalOf(const contract::RunFolder& folder) { return QString::fromStdString(folder.journal(0).string()); }

private Q_SLOTS:
    void init()
    {
        m_test.emplace();
        m_folder.emplace(launcher::createRun(m_test->home(), forSlurm()).folder);
        m_lock.emplace(*m_folder);
        fs::create_directories(launcher::slurmFolder(*m_folder));
        launcher::writeSlurmJob(*m_folder, {.id = "12", .attempt = 1});
    }
    void cleanup()
    {
        m_lock.reset();
        m_folder.reset();
        m_test.reset();
    }

    void slurmsWordAndTheRanksMakeTheState_data()
    {
        QTest::addColumn<QString>("outcome");  // of rank 0; "none": it never began; "": it died
        QTest::addColumn<QString>("word");
        QTest::addColumn<int>("state");
        QTest::addColumn<QString>("says");
        QTest::newRow("it waits") << "none" << "PENDING" << int(RunState::Queued) << "Slurm (Priority)";
        QTest::newRow("it is about to start") << "none" << "RUNNING" << int(RunState::Starting) << "the ranks of Slurm job 12 on n[1-2]";
        QTest::newRow("it waits to go on") << "stopped" << "PENDING" << int(RunState::Queued) << "Slurm (Priority)";
        QTest::newRow("it waits to be started again") << "failed" << "PENDING" << int(RunState::Queued) << "it broke";
        QTest::newRow("rank 0 died, it waits") << "" << "REQUEUED" << int(RunState::Queued) << "ended unexpectedly";
        QTest::newRow("it is done, and ends") << "finished" << "COMPLETING" << int(RunState::Finished) << "";
        QTest::newRow("it was stopped, and ends") << "stopped" << "COMPLETING" << int(RunState::Stopped) << "";
        QTest::newRow("cancelled before its turn") << "none" << "CANCELLED" << int(RunState::Stopped) << "Slurm job 12 was cancelled";
        QTest::newRow("cancelled while it ran") << "" << "CANCELLED" << int(RunState::Stopped) << "Slurm job 12 was cancelled";
        QTest::newRow("finished") << "finished" << "COMPLETED" << int(RunState::Finished) << "";
        QTest::newRow("the ranks say why") << "failed" << "FAILED" << int(RunState::Failed) << "it broke";
        QTest::newRow("both know something") << "failed" << "NODE_FAIL" << int(RunState::Failed)
                                             << "it broke (Slurm job 12 has ended with NODE_FAIL: a node failed)";
        QTest::newRow("too late") << "" << "TIMEOUT" << int(RunState::Failed) << "its time limit was reached before the ranks had written a checkpoint";
        QTest::newRow("no memory") << "" << "OUT_OF_MEMORY" << int(RunState::Failed) << "it used more memory than it had asked for";
        QTest::newRow("the script failed") << "none" << "FAILED" << int(RunState::Failed) << "has ended with FAILED; its log is logs/slurm.log";
        QTest::newRow("a word of a later version") << "none" << "EATEN" << int(RunState::Failed) << "has ended with EATEN; its log is";
        QTest::newRow("forgotten") << "" << "UNKNOWN" << int(RunState::Failed) << "Slurm does not know job 12 any more";
        QTest::newRow("forgotten after its end") << "stopped" << "UNKNOWN" << int(RunState::Stopped) << "";
    }
    void slurmsWordAndTheRanksMakeTheState()
    {
        QFETCH(QString, outcome);
        QFETCH(QString, word);
        QFETCH(QString, says);
        QFETCH(int, state);
        if (outcome != "none")
            runRankZero(outcome.toUtf8().constData(), outcome == "failed" ? "it broke" : "");
        see(word.toStdString(), "Priority");
        const launcher::RunStatus status = launcher::inspectRun(*m_folder);
        QCOMPARE(status.state, RunState(state));
        const QString text = QString::fromStdString(status.waitsFor + " | " + status.cause);
        QVERIFY2(text.contains(says), qPrintable(text));
        QVERIFY(!status.isSupervised);
        QCOMPARE(launcher::liveSlurmJob(*m_folder).has_value(), !status.slurmJob.empty());
    }

    void aStopLastsWhateverSlurmStillBelieves()
    {
        runRankZero("stopped");
        contract::appendCommand(m_folder->control(), contract::Command::Stop);
        see("RUNNING");
        QCOMPARE(stateOf(*m_folder), RunState::Stopped);
    }

    void ranksOnAnotherHostAreJudgedBySlurmsAnswer()
    {
        writeBegun(0);
        runRankZero("");
        moveRankZeroToAnotherHost();
        QCOMPARE(stateOf(*m_folder), RunState::Running);  // the journal is fresh
        see("RUNNING");
        QCOMPARE(stateOf(*m_folder), RunState::Running);
        see("PENDING");
        QCOMPARE(stateOf(*m_folder), RunState::Queued);
        see("PENDING", {}, -60'000);  // the ranks have written since
        QCOMPARE(stateOf(*m_folder), RunState::Running);

        // Silent for long: Slurm says that the ranks are there, so they hang.
        fs::last_write_time(m_folder->journal(0), fs::file_time_type::clock::now() - std::chrono::hours(1));
        see("RUNNING");
        QCOMPARE(stateOf(*m_folder), RunState::Stalled);
        // The same after the job was requeued: they are those of before.
        writeBegun(static_cast<std::int64_t>(fs::file_size(m_folder->journal(0))));
        QCOMPARE(stateOf(*m_folder), RunState::Starting);
    }

    void anyRankOnAnotherHostThatWritesIsEnough()
    {
        runRankZero("");
        moveRankZeroToAnotherHost();
        fs::last_write_time(m_folder->journal(0), fs::file_time_type::clock::now() - std::chrono::hours(1));
        QCOMPARE(stateOf(*m_folder), RunState::Queued);
        const contract::JournalWriter other(m_folder->journal(1),
            {.version = contract::kJournalVersion, .run = m_folder->id(), .attempt = 1, .rank = 1, .host = {}, .startUnixMs = 0});
        QCOMPARE(stateOf(*m_folder), RunState::Running);
    }

    void aSupervisorThatHasStartedTheRunSinceCounts()
    {
        see("FAILED");
        QCOMPARE(stateOf(*m_folder), RunState::Failed);
        QCOMPARE(m_lock->take(), std::string());
        m_lock->describe(2);
        QVERIFY(!launcher::slurmJob(*m_folder));
    }

    void aWaitingJobIsNeitherStartedTwiceNorTrashed()
    {
        see("PENDING", {}, 0);
        const QByteArray path = qgetenv("PATH");
        const auto restore = qScopeGuard([&] { qputenv("PATH", path); });
        qputenv("PATH", "/nowhere");  // Slurm cannot be asked
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, launcher::prepareResume(*m_folder, std::nullopt, std::nullopt));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, launcher::takePrepared(*m_folder, 1));
        QCOMPARE(launcher::refreshSlurm(*m_folder, std::chrono::seconds(0)),
            std::string("squeue is not installed on this machine: use one from which jobs are submitted to Slurm"));
        QVERIFY(launcher::inspectRun(*m_folder).place.ends_with("no answer from Slurm"));
    }

    void damagedFilesAreAsNone_data()
    {
        QTest::addColumn<QByteArray>("job");
        for (const char* text : {"", "{", "[]", "{\"job\":12}", "{\"v\":1,\"job\":\"12\",\"attempt\":\"1\",\"submitted_unix_ms\":0}"})
            QTest::newRow(*text ? text : "empty") << QByteArray(text);
    }
    void damagedFilesAreAsNone()
    {
        QFETCH(QByteArray, job);
        std::ofstream(launcher::slurmFolder(*m_folder) / "job.json") << job.toStdString();
        QCOMPARE(stateOf(*m_folder), RunState::Prepared);
    }

    void theQueueHandsARunOverAtOnce()
    {
        const launcher::QueueEntry entry = launcher::entryFor(*m_folder, 1, forSlurm());
        QVERIFY(entry.isUrgent && entry.gpus == 0);
        QVERIFY(!launcher::entryFor(*m_folder, 1, m_test->experiment()).isUrgent);
    }

    void theScriptPassesOnAnyName()
    {
        const contract::RunFolder folder(m_test->path() / "it's $HOME; \"100 %j\"");
        contract::Experiment experiment = forSlurm();
        experiment.set("run.name", std::string("a \"b\" \\c"));
        experiment.set("slurm.environment", std::string("A='1 2' B=3"));
        experiment.set("slurm.setup", std::string("echo \"has $A $B $OMP_NUM_THREADS\""));
        experiment.set("slurm.container", std::string("reg#image:1"));
        experiment.set("data.path", std::string("/data/digits.gz"));
        fs::create_directories(folder.root());
        const QStringList given = runScript(experiment, folder, "exit 0");
        QVERIFY2(given.contains("has 1 2 3 1"), qPrintable(given.join('\n')));
        QVERIFY2(given.contains("srun <" + QString::fromStdString(folder.root().string()) + ">"), qPrintable(given.join('\n')));
        QVERIFY(given.contains("srun </opt/the worker>") && given.contains("srun <--container-image=reg#image:1>"));
        const QString home = QString::fromStdString(folder.root().parent_path().parent_path().string());
        QVERIFY2(given.contains("srun <--container-mounts=" + home + ":" + home + ",/data/digits.gz:/data/digits.gz>"), qPrintable(given.join('\n')));
        const QString script = QString::fromStdString(launcher::slurmScript(experiment, folder.root(), "w"));
        QVERIFY2(script.contains("#SBATCH --job-name=\"atelier a \\\"b\\\" \\\\c\"\n"), qPrintable(script));
        QVERIFY2(script.contains("\\\"100 %%j\\\"/logs/slurm.log\"\n"), qPrintable(script));
    }

    void theScriptDecidesWhetherTheRunGoesOn_data()
    {
        QTest::addColumn<QString>("srun");
        QTest::addColumn<int>("restarts");
        QTest::addColumn<bool>("isRequeued");
        QTest::addColumn<int>("exitCode");
        const QString end = "echo '{\"type\":\"end\",\"step\":3,\"t_ms\":1,\"outcome\":\"%1\",\"cause\":\"\"}' >>JOURNAL; ";
        const QString nearLimit = "kill -USR1 $PPID; ", checkpoint = "mkdir -p RUN/checkpoints/step-9; ";
        const QString stop = "echo '{\"v\":1,\"t_unix_ms\":1,\"cmd\":\"stop\"}' >>RUN/control.jsonl; ";
        QTest::newRow("finished") << end.arg("finished") << 5 << false << 0;
        QTest::newRow("stopped") << end.arg("stopped") << 5 << false << 0;
        QTest::newRow("near the limit") << nearLimit + checkpoint + end.arg("stopped") << 0 << true << 1;
        QTest::newRow("near the limit, no further than before") << nearLimit + end.arg("stopped") << 0 << false << 1;
        QTest::newRow("near the limit, and done") << nearLimit + end.arg("finished") << 0 << false << 0;
        QTest::newRow("near the limit, and the user stops it") << nearLimit + checkpoint + stop + end.arg("stopped") << 0 << false << 0;
        QTest::newRow("failed, no restarts") << end.arg("failed") + "exit 1" << 0 << false << 1;
        QTest::newRow("failed, a restart") << end.arg("failed") + "exit 1" << 1 << true << 1;
        QTest::newRow("killed, a restart") << "exit 137" << 1 << true << 1;
        QTest::newRow("failed while the user stops it") << stop + end.arg("failed") + "exit 1" << 1 << false << 0;
    }
    void theScriptDecidesWhetherTheRunGoesOn()
    {
        QFETCH(QString, srun);
        QFETCH(int, restarts);
        QFETCH(bool, isRequeued);
        QFETCH(int, exitCode);
        contract::Experiment experiment = forSlurm();
        experiment.set("launch.restarts", std::int64_t {restarts});
        srun.replace("JOURNAL", journalOf(*m_folder)).replace("RUN", QString::fromStdString(m_folder->root().string()));
        const QStringList given = runScript(experiment, *m_folder, srun);
        QVERIFY2(given.contains("scontrol requeue 12") == isRequeued, qPrintable(given.join('\n')));
        QCOMPARE(given.back().toInt(), exitCode);
    }

    void restartsInARowAreCountedUntilALaterCheckpoint()
    {
        contract::Experiment experiment = forSlurm();
        experiment.set("launch.restarts", std::int64_t {2});
        const QString root = QString::fromStdString(m_folder->root().string());
        const auto isRequeued = [&](const QString& srun) { return runScript(experiment, *m_folder, srun).contains("scontrol requeue 12"); };
        QVERIFY(isRequeued("exit 1"));
        QVERIFY(isRequeued("exit 1"));
        QVERIFY(isRequeued("mkdir -p " + root + "/checkpoints/step-4; exit 1"));  // the count begins anew
        QVERIFY(isRequeued("exit 1"));
        QVERIFY(!isRequeued("exit 1"));
    }
};

QTEST_GUILESS_MAIN(SlurmStateTest)
#include "tst_slurm_state.moc"
