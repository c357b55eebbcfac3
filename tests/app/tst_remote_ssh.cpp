// E13: runs of another machine through a real sshd on loopback: live values, a stop, a connection that is killed, commands, a window's bytes.
#include "tests/app/remote_machine.h"
#include "tests/app/run_state_text.h"
#include "tests/app/ssh_server.h"
#include "tests/paths.h"

#include "launcher/state/run_state.h"

#include <QElapsedTimer>
#include <QtTest>

#include <optional>
#include <signal.h>

using launcher::FileDepth;
using launcher::RunState;
using tests::contentOf;

class RemoteSshTest : public QObject {
    Q_OBJECT

private:
    std::optional<tests::RemoteMachine> m_machine;
    std::optional<tests::SshServer> m_ssh;

    tests::AtelierProgram& there() { return m_machine->program(); }
    RunState state(const contract::RunFolder& run) { return launcher::inspectRun(m_machine->mirrored(run)).state; }

    tests::Outcome onBox(const QStringList& command)
    {
        const launcher::RemoteHost host = m_machine->host();
        return there().run(QStringList {"--host", QString::fromStdString(host.text()), "--remote-program", QString::fromStdString(host.program)} + command);
    }

    QByteArray exported(const tests::Outcome& outcome) { return outcome.exitCode == 0 ? outcome.output : QByteArray(); }

private Q_SLOTS:
    void init()
    {
        m_machine.emplace();
        m_ssh.emplace();
        if (const QString problem = m_ssh->start(); !problem.isEmpty())
            QSKIP(qPrintable(problem));
        there().setVariable(QStringLiteral("ATELIER_SSH"), qEnvironmentVariable("ATELIER_SSH"));
        there().setVariable(QStringLiteral("ATELIER_WORKER"), QStringLiteral(ATELIER_BIN_DIR "/atelier-worker"));
    }
    void cleanup()
    {
        m_ssh.reset();
        m_machine.reset();
    }

    void E13_aTrainingIsFollowedStoppedAndOutlivesTheConnection()
    {
        // Real ranks, a few steps a second.
        const tests::Outcome started = there().runWell({"run", "digits", "--detach", "--set", "run.total_steps=1000000", "--set", "model.width=16", "--set",
            "model.depth=1", "--set", "model.heads=2", "--set", "batch.micro=4", "--set", "engine.compute_dtype=fp32", "--set", "sample.every=0", "--set",
            "sample.judge=0", "--set", "validation.every=0", "--set", "checkpoint.every=0", "--set", "run.threads=1"});
        QVERIFY2(started.exitCode == 0, started.report().constData());
        const contract::RunFolder run = there().onlyRun();
        launcher::Mirror mirror(m_machine->mirrorHome(), m_machine->host());
        mirror.lookAt({{run.id(), FileDepth::Records}});
        QTRY_COMPARE_WITH_TIMEOUT(state(run), RunState::Running, 60000);
        const auto steps = [&] { return contentOf(m_machine->mirrored(run).journal(0)).count("\"type\":\"step\""); };
        QTRY_VERIFY_WITH_TIMEOUT(steps() > 10, 30000);
        // Live: what is here grows with what is there.
        const auto before = steps();
        QTRY_VERIFY_WITH_TIMEOUT(steps() > before + 10, 30000);

        const std::vector<pid_t> connections = m_ssh->connections();
        QVERIFY(!connections.empty());
        m_ssh->stop();
        for (const pid_t process : connections)
            ::kill(process, SIGKILL);
        QTRY_COMPARE_WITH_TIMEOUT(state(run), RunState::CutOff, 30000);
        QVERIFY(QString::fromStdString(launcher::inspectRun(m_machine->mirrored(run)).cause).startsWith("No connection to box"));
        QCOMPARE(launcher::inspectRun(run).state, RunState::Running);
        const auto cut = steps();

        QCOMPARE(m_ssh->startAgain(), QString());
        QTRY_COMPARE_WITH_TIMEOUT(state(run), RunState::Running, 60000);
        QTRY_VERIFY_WITH_TIMEOUT(steps() > cut + 10, 30000);
        std::optional<launcher::ControlReply> reply;
        mirror.send(run.id(), launcher::ControlCommand::Stop, this, [&](const launcher::ControlReply& got) { reply = got; });
        QTRY_VERIFY(reply);
        QVERIFY2(reply->isAccepted, reply->error.c_str());
        QTRY_COMPARE_WITH_TIMEOUT(state(run), RunState::Stopped, 30000);
        for (const int rank : {0, 1})
            QTRY_COMPARE(contentOf(m_machine->mirrored(run).journal(rank)), contentOf(run.journal(rank)));
        const QByteArray values = exported(there().runWell({"export", "latest", "--csv"}));
        QVERIFY(values.contains("loss"));
        QCOMPARE(exported(m_machine->runOnMirror({"export", "latest", "--csv"})), values);
        QVERIFY(!m_machine->mirrored(run).checkpointSteps().empty());
        QVERIFY(m_machine->runOnMirror({"checkpoints", "latest"}).exitCode == 0);
    }

    void E13_commandsAreExecutedThere()
    {
        there().addFinishedRun("first-20261121-101500-x3k9", 5);
        const tests::Outcome list = onBox({"list"});
        QVERIFY2(list.exitCode == 0, list.report().constData());
        QVERIFY(list.output.contains("first-20261121-101500-x3k9"));
        const tests::Outcome wrong = onBox({"show", "no such; run $HOME"});
        QCOMPARE(wrong.exitCode, 1);
        QVERIFY2(wrong.errors.contains("no such; run $HOME"), wrong.errors.constData());
        QCOMPARE(onBox({"evil"}).exitCode, 2);
        const QString file = there().writeFile(QStringLiteral("it's mine.toml"), "[run]\nname = \"passed 'along'\"\ntotal_steps = 3\n[data]\npath = \"" + there().writeFile(QStringLiteral("data.csv"), "0\n").toUtf8() + "\"\n");
        const tests::Outcome run = onBox({"run", file, "--queue", "--set", "run.seed=7"});
        QVERIFY2(run.exitCode == 0, run.report().constData());
        QVERIFY(onBox({"list"}).output.contains("passed 'along'"));
    }
};

QTEST_GUILESS_MAIN(RemoteSshTest)
#include "tst_remote_ssh.moc"
