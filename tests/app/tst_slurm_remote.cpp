// E13: a run in a real Slurm cluster, seen and stopped from another machine through `atelier serve`. A script stands in for ssh;
// tst_remote_ssh.cpp has a real one.
#include "tests/app/remote_machine.h"
#include "tests/app/run_state_text.h"
#include "tests/app/slurm_cluster.h"
#include "tests/paths.h"

#include "launcher/state/run_state.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <optional>
#include <unistd.h>

using launcher::FileDepth;
using launcher::RunState;
using launcher::RunStatus;
using tests::SlurmCluster;
using tests::kTimeoutMs;

class SlurmRemoteTest : public QObject {
    Q_OBJECT

    std::optional<SlurmCluster> m_cluster;
    std::optional<tests::RemoteMachine> m_machine;
    std::unique_ptr<launcher::Mirror> m_mirror;

    tests::AtelierProgram& there() { return m_machine->program(); }

    /// Submits a run of four ranks on two nodes, there, and watches it from here.
    contract::RunFolder submit(const QStringList& settings = {})
    {
        QStringList arguments = {"run", "digits", "--target", "slurm", "--json", "--detach"};
        const QStringList tiny = {"run.total_steps=100000000", "model.width=16", "model.depth=1", "model.heads=2", "batch.micro=4",
            "engine.compute_dtype=fp32", "sample.per_label=1", "sample.steps=2", "sample.judge=0", "sample.every=0", "checkpoint.every=0", "validation.every=0",
            "schedule.warmup_steps=0", "run.threads=1", "launch.ranks=4", "slurm.nodes=2"};
        for (const QString& setting : tiny + settings)
            arguments << "--set" << setting;
        const contract::RunFolder run(there().runWell(arguments).json()["folder"].toString().toStdString());
        m_mirror = std::make_unique<launcher::Mirror>(m_machine->mirrorHome(), m_machine->host());
        m_mirror->lookAt({{run.id(), FileDepth::Records}});
        return run;
    }

    RunStatus seen(const contract::RunFolder& run) { return launcher::inspectRun(m_machine->mirrored(run)); }
    QByteArray described(const contract::RunFolder& run)
    {
        const RunStatus status = seen(run);
        return QByteArray::fromStdString(std::string(stateName(status.state)) + " " + status.waitsFor + " " + status.cause + " " + status.place);
    }

    void stopFromHere(const contract::RunFolder& run)
    {
        std::optional<launcher::ControlReply> reply;
        m_mirror->send(run.id(), launcher::ControlCommand::Stop, this, [&](const launcher::ControlReply& got) { reply = got; });
        QTRY_VERIFY_WITH_TIMEOUT(reply, kTimeoutMs);
        QVERIFY2(reply->isAccepted, reply->error.c_str());
    }

    /// A job that has both nodes. @return its number
    static QString occupy() { return SlurmCluster::ask("sbatch", {"--parsable", "--nodes=2", "--exclusive", "--output=/dev/null", "--wrap=sleep 600"}); }

private Q_SLOTS:
    void initTestCase()
    {
        if (!SlurmCluster::isInstalled())
            QSKIP("Slurm is not installed: Debian's packages slurm-wlm and munge");
        m_cluster.emplace();
        const QString problem = m_cluster->start();
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }
    void cleanupTestCase() { m_cluster.reset(); }
    void init()
    {
        m_machine.emplace();
        there().setVariable("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker");
        there().setVariable("SLURM_CONF", qEnvironmentVariable("SLURM_CONF"));
    }
    void cleanup()
    {
        SlurmCluster::ask("scancel", {"--user=" + QString::number(::getuid())});
        QTRY_VERIFY_WITH_TIMEOUT(SlurmCluster::ask("squeue", {"--noheader"}).isEmpty(), kTimeoutMs);
        m_mirror.reset();
        m_machine.reset();
    }

    void E13_aRunWaitsTrainsAndIsStopped()
    {
        const QString first = occupy();
        QTRY_COMPARE_WITH_TIMEOUT(SlurmCluster::stateOf(first), QString("RUNNING"), kTimeoutMs);
        const contract::RunFolder run = submit();
        QTRY_VERIFY2_WITH_TIMEOUT(seen(run).waitsFor.starts_with("Slurm (Resources)"), described(run), kTimeoutMs);
        QCOMPARE(seen(run).state, RunState::Queued);
        const QString job = QString::fromStdString(seen(run).slurmJob);
        QCOMPARE(SlurmCluster::stateOf(job), QString("PENDING"));
        QVERIFY(m_machine->runOnMirror({"show", QString::fromStdString(run.id())}).output.contains("queued, waits for Slurm (Resources)"));

        SlurmCluster::ask("scancel", {first});
        QTRY_VERIFY2_WITH_TIMEOUT(seen(run).state == RunState::Running && seen(run).step > 2, described(run), kTimeoutMs);
        QCOMPARE(seen(run).ranks, 4);
        QTRY_COMPARE_WITH_TIMEOUT(QString::fromStdString(seen(run).place), "Slurm job " + job + " on n[1-2]", kTimeoutMs);
        QTRY_VERIFY_WITH_TIMEOUT(tests::contentOf(m_machine->mirrored(run).journal(3)).contains("\"type\":\"step\""), kTimeoutMs);

        stopFromHere(run);
        QTRY_VERIFY2_WITH_TIMEOUT(seen(run).state == RunState::Stopped, described(run), kTimeoutMs);
        QCOMPARE(run.checkpointSteps().size(), std::size_t(1));
        QTRY_COMPARE_WITH_TIMEOUT(SlurmCluster::stateOf(job), QString("COMPLETED"), kTimeoutMs);
        QTRY_VERIFY2_WITH_TIMEOUT(seen(run).slurmJob.empty(), described(run), kTimeoutMs);
        QCOMPARE(seen(run).state, RunState::Stopped);
    }

    void E13_aJobThatWaitsIsCancelled()
    {
        occupy();
        const contract::RunFolder run = submit();
        QTRY_VERIFY2_WITH_TIMEOUT(seen(run).waitsFor.starts_with("Slurm ("), described(run), kTimeoutMs);
        const std::string job = seen(run).slurmJob;
        stopFromHere(run);
        QTRY_VERIFY2_WITH_TIMEOUT(seen(run).state == RunState::Stopped, described(run), kTimeoutMs);
        QCOMPARE(seen(run).cause, "Slurm job " + job + " was cancelled");
        QCOMPARE(SlurmCluster::stateOf(QString::fromStdString(job)), QString("CANCELLED"));
    }

    void E13_whatSlurmSaysOfTheEndIsSaidHere()
    {
        const contract::RunFolder run = submit({"slurm.setup=exit 3"});
        QTRY_VERIFY2_WITH_TIMEOUT(seen(run).state == RunState::Failed, described(run), kTimeoutMs);
        const std::string cause = seen(run).cause;
        QVERIFY2(cause.starts_with("Slurm job ") && cause.ends_with(" has ended with FAILED; its log is logs/slurm.log"), cause.c_str());
    }
};

QTEST_GUILESS_MAIN(SlurmRemoteTest)
#include "tst_slurm_remote.moc"
