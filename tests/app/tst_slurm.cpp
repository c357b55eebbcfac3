// Runs in a real Slurm cluster of two nodes, which the test starts.
#include "tests/app/atelier_program.h"
#include "tests/app/slurm_cluster.h"
#include "tests/paths.h"

#include "engine/contract/run/supervisor_lock.h"
#include "launcher/slurm/slurm_client.h"
#include "launcher/slurm/slurm_job.h"
#include "launcher/state/run_state.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <csignal>
#include <optional>

using launcher::RunState;
using launcher::RunStatus;
using tests::AtelierProgram;
using tests::Outcome;
using tests::SlurmCluster;
using tests::contentOf;
using tests::kTimeoutMs;

namespace {

constexpr char kEndless[] = "100000000";

/// `atelier run` in Slurm with the smallest model that can be trained.
QStringList command(const QString& steps, const QStringList& settings, const char* mode = "--detach")
{
    QStringList arguments = {"run", "digits", "--target", "slurm", "--json", mode, "--set", "run.total_steps=" + steps};
    const QStringList tiny = {"model.width=16", "model.depth=1", "model.heads=2", "batch.micro=4", "engine.compute_dtype=fp32",
        "sample.per_label=1", "sample.steps=2", "sample.judge=0", "sample.every=0", "checkpoint.every=0", "validation.every=0",
        "schedule.warmup_steps=0", "run.threads=1"};
    for (const QString& setting : tiny + settings)
        arguments << "--set" << setting;
    return arguments;
}

const QStringList kTwoByTwo = {"launch.ranks=4", "slurm.nodes=2"}, kOneNode = {"launch.ranks=2", "slurm.nodes=1"};

QString jobOf(const contract::RunFolder& folder)
{
    const auto job = launcher::slurmJob(folder);
    return job ? QString::fromStdString(job->id) : QString();
}

/// The state after Slurm has been asked.
RunStatus look(const contract::RunFolder& folder)
{
    launcher::refreshSlurm(folder, std::chrono::seconds(0));
    return launcher::inspectRun(folder);
}

bool isTraining(const contract::RunFolder& folder, int attempt = 1)
{
    const RunStatus status = look(folder);
    const std::int64_t begin = status.attempt > 1 ? folder.readStart(status.attempt).parentStep : 0;
    return status.state == RunState::Running && status.attempt == attempt && status.step > begin + 2;
}

QByteArray log(const contract::RunFolder& folder) { return contentOf(folder.root() / "logs" / "slurm.log"); }

}  // namespace

class SlurmTest : public QObject {
    Q_OBJECT

    AtelierProgram m_atelier;
    std::optional<SlurmCluster> m_cluster;

    contract::RunFolder start(const QString& steps, const QStringList& settings)
    {
        const Outcome outcome = m_atelier.runWell(command(steps, settings));
        return contract::RunFolder(outcome.json()["folder"].toString().toStdString());
    }

    void kill(const contract::RunFolder& folder)
    {
        const auto owner = contract::lockOwner(folder);
        QVERIFY(owner && contract::isLocked(folder));
        ::kill(static_cast<pid_t>(owner->processId), SIGKILL);
    }

    Outcome stop(const contract::RunFolder& folder) { return m_atelier.runWell({"stop", QString::fromStdString(folder.id()), "--wait"}); }

private Q_SLOTS:
    void initTestCase()
    {
        if (!SlurmCluster::isInstalled())
            QSKIP("Slurm is not installed: Debian's packages slurm-wlm and munge");
        m_atelier.setVariable("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker");
        m_cluster.emplace();
        const QString problem = m_cluster->start();
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
        m_atelier.setVariable("SLURM_CONF", qEnvironmentVariable("SLURM_CONF"));
    }
    void cleanupTestCase() { m_cluster.reset(); }
    void cleanup()
    {
        m_cluster->startController();
        SlurmCluster::ask("scancel", {"--user=" + QString::number(::getuid())});
        QTRY_VERIFY_WITH_TIMEOUT(SlurmCluster::ask("squeue", {"--noheader"}).isEmpty(), kTimeoutMs);
        for (const QString& id : m_atelier.runs())
            QDir(QString::fromStdString((m_atelier.home().runs() / id.toStdString()).string())).removeRecursively();
    }

    void slurm_aRunTrainsOnTwoNodesIsStoppedAndGoesOn()
    {
        const contract::RunFolder folder = start(kEndless, kTwoByTwo);
        const QString id = QString::fromStdString(folder.id());
        QTRY_VERIFY2_WITH_TIMEOUT(isTraining(folder), log(folder), kTimeoutMs);
        const RunStatus running = look(folder);
        QCOMPARE(running.ranks, 4);
        QVERIFY2(contentOf(folder.log(0)).contains("2 shards, 2 replicas"), contentOf(folder.log(0)));
        QCOMPARE(QString::fromStdString(running.place), "Slurm job " + jobOf(folder) + " on n[1-2]");
        const auto shown = m_atelier.runWell({"show", id, "--json"}).json()["status"].toObject();
        QCOMPARE(shown["slurm_job"].toString(), jobOf(folder));
        QVERIFY(m_atelier.runWell({"show", id}).output.contains("on n[1-2]"));

        // Nobody else may start or remove it meanwhile.
        for (const QStringList& refused : {QStringList {"resume", id}, QStringList {"rm", id, "--yes"}}) {
            const Outcome outcome = m_atelier.run(refused);
            QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains("stop the run first"), outcome.report());
        }
        m_atelier.runWell({"checkpoint", id});
        QTRY_COMPARE_WITH_TIMEOUT(folder.checkpointSteps().size(), std::size_t(1), kTimeoutMs);
        stop(folder);
        QCOMPARE(folder.checkpointSteps().size(), std::size_t(2));
        QCOMPARE(look(folder).state, RunState::Stopped);
        QTRY_COMPARE_WITH_TIMEOUT(SlurmCluster::stateOf(jobOf(folder)), QString("COMPLETED"), kTimeoutMs);  // and was not requeued
        QCOMPARE(look(folder).state, RunState::Stopped);
        QVERIFY(look(folder).slurmJob.empty());

        const std::int64_t last = folder.checkpointSteps().back();
        const Outcome resumed = m_atelier.runWell({"resume", id, "--json", "--set", "run.total_steps=" + QString::number(last + 5)});
        QCOMPARE(resumed.json()["outcome"].toString(), "finished");
        QCOMPARE(resumed.json()["step"].toInteger(), last + 5);
        QCOMPARE(folder.readStart(2).parentStep, last);
        QCOMPARE(look(folder).state, RunState::Finished);
    }

    void slurm_aJobThatWaitsSaysWhyAndIsCancelled()
    {
        const QString first = SlurmCluster::ask("sbatch", {"--parsable", "--nodes=2", "--exclusive", "--output=/dev/null", "--wrap=sleep 600"});
        QTRY_COMPARE_WITH_TIMEOUT(SlurmCluster::stateOf(first), QString("RUNNING"), kTimeoutMs);
        const contract::RunFolder folder = start(kEndless, kTwoByTwo + QStringList {"slurm.time=5"});
        const QString id = QString::fromStdString(folder.id());
        QTRY_VERIFY2_WITH_TIMEOUT(look(folder).waitsFor.starts_with("Slurm (Resources)"), look(folder).waitsFor.c_str(), kTimeoutMs);
        QCOMPARE(look(folder).state, RunState::Queued);
        QVERIFY(m_atelier.runWell({"show", id}).output.contains("queued, waits for Slurm (Resources)"));
        const Outcome early = m_atelier.run({"checkpoint", id});
        QVERIFY2(early.exitCode == 1 && early.errors.contains("it waits for its job in Slurm, " + jobOf(folder).toUtf8()), early.report());
        stop(folder);
        QTRY_COMPARE_WITH_TIMEOUT(look(folder).state, RunState::Stopped, kTimeoutMs);
        QCOMPARE(look(folder).cause, "Slurm job " + jobOf(folder).toStdString() + " was cancelled");
        QCOMPARE(SlurmCluster::stateOf(jobOf(folder)), QString("CANCELLED"));
    }

    void slurm_nearItsTimeLimitARunRequeuesItselfAndGoesOn()
    {
        // In the foreground: the command follows the run through both runs of its job.
        const auto followed = m_atelier.start(command(kEndless, kTwoByTwo + QStringList {"slurm.time=1", "slurm.checkpoint_before=50"}, "--json"));
        QTRY_COMPARE_WITH_TIMEOUT(m_atelier.runs().size(), 1, kTimeoutMs);
        const contract::RunFolder folder = m_atelier.onlyRun();
        QTRY_VERIFY2_WITH_TIMEOUT(isTraining(folder), log(folder), kTimeoutMs);
        QTRY_VERIFY2_WITH_TIMEOUT(isTraining(folder, 2), log(folder), 3 * kTimeoutMs);
        QCOMPARE(folder.checkpointSteps().size(), std::size_t(1));
        QCOMPARE(folder.readStart(2).parentStep, folder.checkpointSteps().back());
        QCOMPARE(followed->state(), QProcess::Running);
        ::kill(static_cast<pid_t>(followed->processId()), SIGINT);
        QVERIFY(followed->waitForFinished(kTimeoutMs));
        const auto report = QJsonDocument::fromJson(followed->readAllStandardOutput());
        QCOMPARE(report["outcome"].toString(), "stopped");
        QTRY_COMPARE_WITH_TIMEOUT(SlurmCluster::stateOf(jobOf(folder)), QString("COMPLETED"), kTimeoutMs);
        QCOMPARE(folder.attempts().size(), std::size_t(2));
    }

    void slurm_aKilledRankIsStartedAgainAsOftenAsAllowed()
    {
        const contract::RunFolder folder = start(kEndless, kTwoByTwo + QStringList {"launch.restarts=1"});
        QTRY_VERIFY2_WITH_TIMEOUT(isTraining(folder), log(folder), kTimeoutMs);
        m_atelier.runWell({"checkpoint", QString::fromStdString(folder.id())});
        QTRY_COMPARE_WITH_TIMEOUT(folder.checkpointSteps().size(), std::size_t(1), kTimeoutMs);
        kill(folder);
        QTRY_COMPARE_WITH_TIMEOUT(look(folder).state, RunState::Queued, kTimeoutMs);
        QVERIFY(QString::fromStdString(look(folder).cause).startsWith("Rank 0 "));
        QTRY_VERIFY2_WITH_TIMEOUT(isTraining(folder, 2), log(folder), kTimeoutMs);
        QCOMPARE(folder.readStart(2).parentStep, folder.checkpointSteps().back());
        kill(folder);  // without a later checkpoint
        QTRY_COMPARE_WITH_TIMEOUT(look(folder).state, RunState::Failed, kTimeoutMs);
        QVERIFY2(log(folder).contains("not started again: launch.restarts = 1"), log(folder));
        QCOMPARE(SlurmCluster::stateOf(jobOf(folder)), QString("FAILED"));
        QCOMPARE(folder.attempts().size(), std::size_t(2));
    }

    void slurm_aRunOfANodeThatDiesGoesOnAnother()
    {
        const contract::RunFolder folder = start(kEndless, kOneNode);
        QTRY_VERIFY2_WITH_TIMEOUT(isTraining(folder), log(folder), kTimeoutMs);
        m_atelier.runWell({"checkpoint", QString::fromStdString(folder.id())});
        QTRY_COMPARE_WITH_TIMEOUT(folder.checkpointSteps().size(), std::size_t(1), kTimeoutMs);
        const QString node = QString::fromStdString(look(folder).place).section(' ', -1);
        const QString other = node == "n1" ? "n2" : "n1";
        m_cluster->killNode(node);
        QTRY_VERIFY2_WITH_TIMEOUT(isTraining(folder, 2), log(folder), 2 * kTimeoutMs);
        QCOMPARE(QString::fromStdString(look(folder).place), "Slurm job " + jobOf(folder) + " on " + other);
        QCOMPARE(folder.readStart(2).parentStep, folder.checkpointSteps().back());
        stop(folder);
        const QString problem = m_cluster->startNode(node);
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
        QTRY_COMPARE_WITH_TIMEOUT(SlurmCluster::ask("sinfo", {"--noheader", "--Node", "--format=%T"}), QString("idle\nidle"), 2 * kTimeoutMs);
    }

    void slurm_whatSlurmRefusesOrCannotDoIsSaidInItsWords()
    {
        const Outcome refused = m_atelier.run(command(kEndless, kOneNode + QStringList {"slurm.partition=nowhere"}));
        QVERIFY2(refused.exitCode == 1 && refused.errors.contains("Slurm's sbatch says: ") && refused.errors.contains("invalid partition"), refused.report());
        QCOMPARE(launcher::inspectRun(m_atelier.onlyRun()).state, RunState::Prepared);
        cleanup();

        const contract::RunFolder broken = start(kEndless, kOneNode + QStringList {"slurm.setup=exit 3"});
        QTRY_COMPARE_WITH_TIMEOUT(look(broken).state, RunState::Failed, kTimeoutMs);
        QCOMPARE(look(broken).cause, "Slurm job " + jobOf(broken).toStdString() + " has ended with FAILED; its log is logs/slurm.log");
    }

    void slurm_aRunGoesOnWhileTheControllerIsAway()
    {
        const contract::RunFolder folder = start(kEndless, kOneNode);
        const QString id = QString::fromStdString(folder.id());
        QTRY_VERIFY2_WITH_TIMEOUT(isTraining(folder), log(folder), kTimeoutMs);
        m_cluster->stopController();
        QTRY_VERIFY_WITH_TIMEOUT(m_atelier.run({"show", id}).output.contains("no answer from Slurm"), kTimeoutMs);
        const Outcome shown = m_atelier.run({"show", id});
        QVERIFY2(shown.exitCode == 0 && shown.output.contains("running") && shown.output.contains("no answer from Slurm"), shown.report());
        QVERIFY2(shown.errors.contains("Slurm's squeue "), shown.report());
        const Outcome refused = m_atelier.run(command(kEndless, kOneNode));
        QVERIFY2(refused.exitCode == 1 && refused.errors.contains("Slurm's "), refused.report());
        stop(folder);  // the ranks read the run's folder
        QCOMPARE(folder.checkpointSteps().size(), std::size_t(1));
        m_cluster->startController();
        QTRY_COMPARE_WITH_TIMEOUT(SlurmCluster::stateOf(jobOf(folder)), QString("COMPLETED"), kTimeoutMs);
        QCOMPARE(look(folder).state, RunState::Stopped);
    }
};

QTEST_GUILESS_MAIN(SlurmTest)
#include "tst_slurm.moc"
