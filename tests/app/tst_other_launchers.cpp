// Ranks that another launcher starts, without a supervisor: by hand, by a real torchrun, a real mpirun, and by srun's variables.
#include "tests/app/atelier_program.h"
#include "tests/app/torch_python.h"
#include "tests/paths.h"

#include "engine/contract/run/control.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/state/run_state.h"
#include "launcher/supervisor/control_client.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QStandardPaths>
#include <QtTest>

#include <csignal>
#include <memory>

using launcher::RunState;
using tests::AtelierProgram;
using tests::Outcome;
using tests::kTimeoutMs;
using tests::kWorker;

namespace {

/// The arguments of `atelier prepare` for the smallest model that can be trained.
QStringList tinyRun(int steps)
{
    QStringList arguments = {"prepare", "digits", "--json", "--set", "run.total_steps=" + QString::number(steps)};
    for (const char* setting : {"model.width=16", "model.depth=1", "model.heads=2", "batch.micro=4", "engine.compute_dtype=fp32",
             "sample.per_label=1", "sample.steps=2", "sample.judge=0", "sample.every=0", "checkpoint.every=0", "validation.every=0",
             "schedule.warmup_steps=0", "run.threads=1", "launch.ranks=2"})
        arguments << "--set" << setting;
    return arguments;
}

}  // namespace

class OtherLaunchersTest : public QObject {
    Q_OBJECT

    AtelierProgram m_atelier;
    std::vector<std::unique_ptr<QProcess>> m_started;
    QString m_python;
    int m_steps = 0;  ///< of Slurm, so far

    contract::RunFolder prepare(int steps)
    {
        const Outcome outcome = m_atelier.runWell(tinyRun(steps));
        return contract::RunFolder(outcome.json()["folder"].toString().toStdString());
    }

    QProcess& start(const QString& program, const QStringList& arguments, const QMap<QString, QString>& variables = {})
    {
        m_started.push_back(std::make_unique<QProcess>());
        QProcess& process = *m_started.back();
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (auto each = variables.begin(); each != variables.end(); ++each)
            environment.insert(each.key(), each.value());
        process.setProcessEnvironment(environment);
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(program, arguments);
        return process;
    }

    /// Starts the line for @p launcher; null when the launcher is not installed. @p how: "torchrun", "mpirun", "srun's variables" …
    QProcess* launch(const QString& how, const contract::RunFolder& folder)
    {
        const QStringList worker = {kWorker, "--run", QString::fromStdString(folder.root().string())};
        if (how == "torchrun") {
            if (m_python.isEmpty())
                return nullptr;
            return &start(m_python, QStringList {"-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "--no-python", "--"} + worker);
        }
        if (how == "mpirun") {
            if (QStandardPaths::findExecutable("mpirun").isEmpty())
                return nullptr;
            return &start("mpirun", QStringList {"--oversubscribe", "-n", "2"} + worker,
                {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}});
        }
        ++m_steps;
        // The last rank first: it must wait for rank 0, whatever an earlier start has left.
        for (const QString& rank : {QStringLiteral("1"), QStringLiteral("0")}) {
            if (how == "srun's variables")
                start(kWorker, worker.mid(1), {{"SLURM_PROCID", rank}, {"SLURM_LOCALID", rank}, {"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_NODEID", "0"},
                    {"SLURM_STEP_TASKS_PER_NODE", "2"}, {"SLURM_JOB_ID", "12"}, {"SLURM_STEP_ID", QString::number(m_steps)}});
            else
                start(kWorker, worker.mid(1), {{"PMI_RANK", rank}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", rank}, {"MPI_LOCALNRANKS", "2"}});
        }
        return m_started.back().get();
    }

    void waitForAll()
    {
        for (const auto& process : m_started)
            QVERIFY2(process->state() == QProcess::NotRunning || process->waitForFinished(kTimeoutMs), process->readAll());
        m_started.clear();
    }

    QString stateInList() { return m_atelier.runWell({"list", "--json"}).json().array().first()["state"].toString(); }

private Q_SLOTS:
    void initTestCase() { m_python = tests::pythonWithTorch(); }
    void cleanup()
    {
        // A launcher that is killed may leave its ranks behind; without rank 0 the others end.
        for (const QString& id : m_atelier.runs()) {
            const contract::RunFolder folder(m_atelier.home().runs() / id.toStdString());
            if (const auto owner = contract::lockOwner(folder); owner && contract::isLocked(folder))
                ::kill(static_cast<pid_t>(owner->processId), SIGKILL);
        }
        for (const auto& process : m_started)
            process->kill();
        waitForAll();
        for (const QString& id : m_atelier.runs())
            QDir(QString::fromStdString((m_atelier.home().runs() / id.toStdString()).string())).removeRecursively();
    }

    void m16_prepareMakesARunThatNobodyHasStarted()
    {
        const contract::RunFolder folder = prepare(5);
        QCOMPARE(launcher::inspectRun(folder).state, RunState::Prepared);
        QCOMPARE(stateInList(), "prepared");
        const Outcome text = m_atelier.runWell({"prepare", "digits", "--name", "it's mine"});
        for (const char* line : {"torchrun --standalone --nproc-per-node 2 --no-python -- ", "mpirun -n 2 ", "srun -n 2 ", "atelier resume "})
            QVERIFY2(text.output.contains(line), text.report());
        const Outcome refused = m_atelier.run({"stop", QString::fromStdString(folder.id())});
        QVERIFY2(refused.exitCode == 1 && refused.errors.contains("it is prepared"), refused.report());
    }

    void m01_aRunWithoutASupervisorHasStatesFromEvidence_data()
    {
        QTest::addColumn<QString>("how");
        for (const char* how : {"torchrun", "mpirun", "srun's variables", "PMI's variables"})
            QTest::newRow(how) << how;
    }
    void m01_aRunWithoutASupervisorHasStatesFromEvidence()
    {
        QFETCH(QString, how);
        const contract::RunFolder folder = prepare(100'000'000);
        const QString id = QString::fromStdString(folder.id());
        if (!launch(how, folder))
            QSKIP("not installed: torchrun needs the LibTorch of `app/setup --gpu` or tests/peers/environment, mpirun Debian's openmpi-bin");
        QTRY_VERIFY_WITH_TIMEOUT(launcher::inspectRun(folder).step > 2, kTimeoutMs);
        const launcher::RunStatus running = launcher::inspectRun(folder);
        QCOMPARE(running.state, RunState::Running);
        QCOMPARE(running.ranks, 2);
        QVERIFY(!running.isSupervised);
        QCOMPARE(stateInList(), "running");
        QVERIFY(QFile(QString::fromStdString(folder.log(1).string())).size() > 0);

        // Nobody else can start it, neither with a supervisor nor as another rank 0.
        const Outcome second = m_atelier.run({"resume", id});
        QVERIFY2(second.exitCode == 1 && second.errors.contains("is running already"), second.report());
        QProcess& intruder = start(kWorker, {"--run", QString::fromStdString(folder.root().string())});
        QVERIFY(intruder.waitForFinished(kTimeoutMs));
        QCOMPARE(intruder.exitCode(), 1);
        QVERIFY(intruder.readAll().contains("is running already"));
        m_started.pop_back();

        m_atelier.runWell({"checkpoint", id});
        QTRY_COMPARE_WITH_TIMEOUT(folder.checkpointSteps().size(), std::size_t(1), kTimeoutMs);
        m_atelier.runWell({"stop", id, "--wait"});
        waitForAll();
        QCOMPARE(launcher::inspectRun(folder).state, RunState::Stopped);
        QCOMPARE(folder.checkpointSteps().size(), std::size_t(2));

        // The same line goes on from the checkpoint, as another attempt.
        launch(how, folder);
        QTRY_VERIFY_WITH_TIMEOUT(launcher::inspectRun(folder).attempt == 2 && launcher::inspectRun(folder).state == RunState::Running, kTimeoutMs);
        QCOMPARE(folder.readStart(2).parentStep, folder.checkpointSteps().back());
        ::kill(static_cast<pid_t>(contract::lockOwner(folder)->processId), SIGKILL);
        QTRY_COMPARE_WITH_TIMEOUT(launcher::inspectRun(folder).state, RunState::Interrupted, kTimeoutMs);
        QVERIFY(launcher::inspectRun(folder).cause.starts_with("Rank 0 (process "));
        waitForAll();
        QCOMPARE(m_atelier.runWell({"show", id, "--json"}).json()["attempts"].toArray().size(), 2);
    }

    void m05_sigtermStopsWithACheckpoint()
    {
        const contract::RunFolder folder = prepare(100'000'000);
        QProcess* const launcher = launch("torchrun", folder);
        if (!launcher)
            QSKIP("torchrun needs the LibTorch of `app/setup --gpu` or tests/peers/environment");
        QTRY_VERIFY_WITH_TIMEOUT(launcher::inspectRun(folder).step > 2, kTimeoutMs);
        launcher->terminate();
        waitForAll();
        QCOMPARE(launcher::inspectRun(folder).state, RunState::Stopped);
        QCOMPARE(folder.checkpointSteps().size(), std::size_t(1));
    }

    void aLoneWorkerFinishesAndSaysWhenNothingIsLeft()
    {
        const contract::RunFolder folder = prepare(3);
        const QStringList arguments = {"--run", QString::fromStdString(folder.root().string())};
        QCOMPARE(QProcess::execute(kWorker, arguments), 0);
        const launcher::RunStatus status = launcher::inspectRun(folder);
        QCOMPARE(status.state, RunState::Finished);
        QCOMPARE(status.ranks, 1);
        QProcess& again = start(kWorker, arguments);
        QVERIFY(again.waitForFinished(kTimeoutMs));
        QCOMPARE(again.exitCode(), 1);
        QVERIFY(again.readAll().contains("has trained all its 3 steps; `atelier resume "));
        QCOMPARE(folder.attempts().size(), std::size_t(1));
    }

    void aPreparedRunIsStartedOnceWithItsOwnAttempt()
    {
        const contract::RunFolder folder = prepare(3);
        const Outcome outcome = m_atelier.run({"resume", QString::fromStdString(folder.id()), "--set", "run.total_steps=4", "--json"});
        QVERIFY2(outcome.exitCode == 0 && outcome.json()["step"].toInt() == 4, outcome.report());
        QCOMPARE(folder.attempts(), std::vector<int> {1});
    }
};

QTEST_GUILESS_MAIN(OtherLaunchersTest)
#include "tst_other_launchers.moc"
