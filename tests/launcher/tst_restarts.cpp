// Runs whose ranks fail and are started again. Supervisors and processes are real; only the computation of the ranks is fake.
#include "engine/contract/run/control.h"
#include "engine/contract/run/journal_parser.h"
#include "launcher/runs/launch.h"
#include "launcher/supervisor/control_client.h"
#include "tests/launcher/run_facts.h"
#include "tests/launcher/test_home.h"

#include <QtTest>

#include <signal.h>

#include <fstream>

using launcher::ControlCommand;
using launcher::RunState;

namespace {

/// Starts a run that may be restarted @p restarts times.
/// @param stallAfter seconds without a step after which its ranks count as hung; on a busy machine healthy ones may take more than five
contract::RunFolder startedRun(const TestHome& test, std::int64_t restarts, std::int64_t stallAfter = 300)
{
    contract::Experiment experiment = test.experiment();
    experiment.set("launch.restarts", restarts);
    experiment.set("launch.stall_after", stallAfter);
    experiment.set("run.total_steps", std::int64_t {1'000'000});
    const contract::RunFolder folder = launcher::createRun(test.home(), experiment).folder;
    launcher::startSupervisor(folder);
    return folder;
}

launcher::RunStatus statusOf(const contract::RunFolder& folder) { return launcher::inspectRun(folder); }

bool isTraining(const contract::RunFolder& folder, int attempt)
{
    return statusOf(folder).attempt == attempt && statusOf(folder).state == RunState::Running;
}

/// The messages of the supervisor's events of @p kind.
QStringList messagesOf(const contract::RunFolder& folder, const char* kind)
{
    QStringList messages;
    std::ifstream journal(folder.journal(contract::kSupervisorRank));
    contract::JournalParser parser;
    for (std::string text; std::getline(journal, text);) {
        const contract::JournalLine& line = parser.parse(text);
        if (line.text("kind") == kind)
            messages << QString::fromStdString(std::string(line.text("message")));
    }
    return messages;
}

/// Kills a rank of attempts 1 and 2, so that the second restart comes after a pause.
void failTwice(const contract::RunFolder& folder)
{
    QTRY_VERIFY(statusOf(folder).step >= 20);
    ::kill(TestHome::rank(folder, 1), SIGKILL);
    QTRY_VERIFY(isTraining(folder, 2));
    ::kill(TestHome::rank(folder, 1), SIGKILL);
    QTRY_COMPARE(stateOf(folder), RunState::Restarting);
}

}  // namespace

class RestartsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void i19_aKilledRankIsStartedAgainFromTheLastCheckpoint()
    {
        TestHome test;
        const auto folder = startedRun(test, 3);
        QTRY_VERIFY(statusOf(folder).step > 3);
        QVERIFY(launcher::sendCommand(test.home(), folder, ControlCommand::Checkpoint).isAccepted);
        QTRY_COMPARE(folder.checkpointSteps().size(), std::size_t(1));
        const std::int64_t saved = folder.checkpointSteps().back();
        QTRY_VERIFY(statusOf(folder).step > saved + 2);
        ::kill(TestHome::rank(folder, 1), SIGKILL);
        QTRY_VERIFY(isTraining(folder, 2));
        QCOMPARE(folder.readStart(2).parentStep, saved);
        QCOMPARE(messagesOf(folder, "restarting").size(), 0);  // the first restart does not wait
        const QString message = messagesOf(folder, "restarted").value(0);
        const QRegularExpression expected(
            QStringLiteral("^Rank 1 was killed \\(signal 9\\) after step \\d+; started again from step %1, restart 1 of 3$").arg(saved));
        QVERIFY2(expected.match(message).hasMatch(), qPrintable(message));
        // The former attempt has an end, and it is not the run's.
        QCOMPARE(recordsWith(folder.journal(-1), "outcome", "failed"), 1);
        QVERIFY(launcher::sendCommand(test.home(), folder, ControlCommand::Stop).isAccepted);
        QTRY_COMPARE(stateOf(folder), RunState::Stopped);
        QTRY_VERIFY(TestHome::supervisors(folder).empty());
        QCOMPARE(folder.attempts().size(), std::size_t(2));
    }

    void i19_withoutRestartsAFailureEndsTheRun()
    {
        TestHome test;
        const auto folder = startedRun(test, 0);
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        ::kill(TestHome::rank(folder, 1), SIGKILL);
        QTRY_COMPARE(stateOf(folder), RunState::Failed);
        QVERIFY(!causeOf(folder).contains("not started again"));
        QCOMPARE(folder.attempts().size(), std::size_t(1));
    }

    void i19_theSameErrorAtTheSameStepEndsTheRunWithItsCause()
    {
        TestHome test;
        TestHome::setFake("exit", 1);
        const auto folder = startedRun(test, 5);
        QTRY_COMPARE(stateOf(folder), RunState::Failed);
        QCOMPARE(causeOf(folder), QStringLiteral("Rank 1 failed (exit code 1) after step 3: the fake was told to fail; not started again: the same "
                                                 "happened in the attempt before, without progress in between"));
        QCOMPARE(folder.attempts().size(), std::size_t(2));
        QVERIFY(TestHome::ranks(folder).empty());
    }

    void i19_ranksThatHangAreStartedAgain()
    {
        TestHome test;
        const auto folder = startedRun(test, 2, 5);
        QTRY_VERIFY(statusOf(folder).step > 3);
        ::kill(TestHome::rank(folder, 1), SIGSTOP);
        QTRY_VERIFY(isTraining(folder, 2));
        QVERIFY(messagesOf(folder, "restarted").value(0).startsWith("The ranks hung at step "));
        QCOMPARE(TestHome::ranks(folder).size(), std::size_t(2));
    }

    void i19_thePauseBeforeARestartIsAStateOfItsOwn()
    {
        TestHome test;
        const auto folder = startedRun(test, 3);
        failTwice(folder);
        if (QTest::currentTestFailed())
            return;
        const launcher::RunStatus status = statusOf(folder);
        const QString waitsFor = QString::fromStdString(status.waitsFor);
        QVERIFY2(waitsFor == "restart 2 of 3 in 2 s" || waitsFor == "restart 2 of 3 in 1 s", qPrintable(waitsFor));
        QVERIFY(QString::fromStdString(status.cause).startsWith("Rank 1 was killed (signal 9) after step "));
        QVERIFY(launcher::isActive(status.state));
        QVERIFY(messagesOf(folder, "restarting").value(0).endsWith("; waits 2 s before restart 2 of 3"));
        const auto refused = launcher::sendCommand(test.home(), folder, ControlCommand::Checkpoint);
        QVERIFY(!refused.isAccepted && QString::fromStdString(refused.error).contains("it waits before restart 2"));
        QTRY_VERIFY(isTraining(folder, 3));
        QVERIFY(messagesOf(folder, "restarted").value(1).endsWith("; started again from the beginning, restart 2 of 3"));
    }

    void i19_stopEndsThePause_data()
    {
        QTest::addColumn<ControlCommand>("command");
        QTest::newRow("stop") << ControlCommand::Stop;
        QTest::newRow("stop now") << ControlCommand::StopNow;
        QTest::newRow("kill") << ControlCommand::Kill;
    }
    void i19_stopEndsThePause()
    {
        QFETCH(ControlCommand, command);
        TestHome test;
        const auto folder = startedRun(test, 3);
        failTwice(folder);
        if (QTest::currentTestFailed())
            return;
        QVERIFY(launcher::sendCommand(test.home(), folder, command).isAccepted);
        QTRY_COMPARE(stateOf(folder), RunState::Stopped);
        QVERIFY(causeOf(folder).startsWith("stopped before restart 2; before that: Rank 1 was killed"));
        QTRY_VERIFY(TestHome::supervisors(folder).empty());
        QCOMPARE(folder.attempts().size(), std::size_t(2));
    }

    void i19_aSupervisorKilledInThePauseLeavesAnInterruptedRun()
    {
        TestHome test;
        const auto folder = startedRun(test, 3);
        failTwice(folder);
        if (QTest::currentTestFailed())
            return;
        ::kill(TestHome::supervisors(folder).front(), SIGKILL);
        QTRY_COMPARE(stateOf(folder), RunState::Interrupted);
        QVERIFY2(causeOf(folder).contains("while it waited before a restart") && causeOf(folder).contains("Rank 1 was killed"), qPrintable(causeOf(folder)));
        // It goes on when it is asked to.
        auto prepared = launcher::prepareResume(folder, std::nullopt, std::nullopt);
        QCOMPARE(prepared.attempt, 3);
        launcher::startSupervisor(folder);
        QTRY_VERIFY(isTraining(folder, 3));
    }

    void i19_aSupervisorKilledAfterARestartTakesItsRanksWithIt()
    {
        TestHome test;
        const auto folder = startedRun(test, 3);
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        ::kill(TestHome::rank(folder, 0), SIGKILL);
        QTRY_VERIFY(isTraining(folder, 2));
        ::kill(TestHome::supervisors(folder).front(), SIGKILL);
        QTRY_COMPARE(stateOf(folder), RunState::Interrupted);
        QTRY_VERIFY(TestHome::ranks(folder).empty());
    }

    void i19_aStopThatARankDoesNotSurviveIsNoReasonToStartAgain()
    {
        TestHome test;
        const auto folder = startedRun(test, 3);
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        ::kill(TestHome::rank(folder, 1), SIGSTOP);  // so that the stop cannot be carried out
        QVERIFY(launcher::sendCommand(test.home(), folder, ControlCommand::Stop).isAccepted);
        ::kill(TestHome::rank(folder, 1), SIGKILL);
        QTRY_COMPARE(stateOf(folder), RunState::Failed);
        QCOMPARE(folder.attempts().size(), std::size_t(1));
    }
};

QTEST_GUILESS_MAIN(RestartsTest)
#include "tst_restarts.moc"
