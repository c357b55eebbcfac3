// How a run reacts to commands, sent through its socket or as signals.
#include "launcher/supervisor/control_client.h"
#include "tests/launcher/run_facts.h"
#include "tests/launcher/test_home.h"

#include <QFile>
#include <QJsonDocument>
#include <QtTest>

#include <signal.h>

#include <algorithm>
#include <optional>

using launcher::ControlCommand;
using launcher::RunState;

class SupervisorCommandsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void m05_stopOfAHungRunSaysWhatItWaitsForAndKillEndsIt()
    {
        TestHome test;
        TestHome::setFake("hang", 1);
        const auto folder = test.startedRun();
        QTRY_COMPARE(launcher::inspectRun(folder).step, 3);
        QVERIFY(launcher::sendCommand(test.home(), folder, ControlCommand::Stop).isAccepted);
        QTRY_COMPARE(stateOf(folder), RunState::Stopping);
        QCOMPARE(launcher::inspectRun(folder).waitsFor, std::string("rank 0 finishes step 4"));
        QVERIFY(launcher::sendCommand(test.home(), folder, ControlCommand::Kill).isAccepted);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(folder), RunState::Stopped, kSeenWithinMs);
        QCOMPARE(causeOf(folder), QStringLiteral("killed by the user"));
        QVERIFY(TestHome::ranks(folder).empty());
        QCOMPARE(errorsIn(folder.journal(-1)), 0);
    }

    void m05_commandsAreJournalledAtTheStepThatTheRanksHaveReached()
    {
        TestHome test;
        TestHome::setFake("hang", 1);
        const auto folder = test.startedRun();
        QTRY_COMPARE(launcher::inspectRun(folder).step, 3);
        QVERIFY(launcher::sendCommand(test.home(), folder, ControlCommand::Kill).isAccepted);
        QTRY_COMPARE(stateOf(folder), RunState::Stopped);
        QFile journal(QString::fromStdString(folder.journal(-1).string()));
        QVERIFY(journal.open(QIODevice::ReadOnly));
        const QByteArrayList records = journal.readAll().split('\n');
        const auto command = std::ranges::find_if(records, [](const QByteArray& record) { return record.contains("kill was requested"); });
        QVERIFY(command != records.end());
        QCOMPARE(QJsonDocument::fromJson(*command)["step"].toInt(), 3);
    }

    void m05_aSupervisorThatHangsIsKilled_data()
    {
        QTest::addColumn<bool>("isAsync");
        QTest::newRow("from the command line") << false;
        QTest::newRow("from the window") << true;
    }
    void m05_aSupervisorThatHangsIsKilled()
    {
        QFETCH(bool, isAsync);
        TestHome test;
        const auto folder = test.startedRun();
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        ::kill(TestHome::supervisors(folder).front(), SIGSTOP);
        QVERIFY(!launcher::sendCommand(test.home(), folder, ControlCommand::Stop, 200).isAccepted);
        std::optional<launcher::ControlReply> reply;
        if (isAsync)
            launcher::sendCommandAsync(test.home(), folder, ControlCommand::Kill, this, [&](const launcher::ControlReply& got) { reply = got; });
        else
            reply = launcher::sendCommand(test.home(), folder, ControlCommand::Kill, 200);
        QTRY_VERIFY_WITH_TIMEOUT(reply, 8000);
        QVERIFY2(reply->isAccepted, reply->error.c_str());
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(folder), RunState::Interrupted, kSeenWithinMs);
        QTRY_VERIFY(TestHome::ranks(folder).empty() && TestHome::supervisors(folder).empty());
        QVERIFY(!launcher::sendCommand(test.home(), folder, ControlCommand::Kill, 200).isAccepted);  // its process is another's by now
    }

    void m05_stopNowLeavesWithoutACheckpoint()
    {
        TestHome test;
        const auto folder = test.startedRun();
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        QVERIFY(launcher::sendCommand(test.home(), folder, ControlCommand::StopNow).isAccepted);
        QTRY_COMPARE(stateOf(folder), RunState::Stopped);
        QCOMPARE(causeOf(folder), QStringLiteral("stopped now"));
        QVERIFY(folder.checkpointSteps().empty());
        QVERIFY(TestHome::ranks(folder).empty());
    }

    void m05_checkpointNowGoesOn()
    {
        TestHome test;
        const auto folder = test.startedRun();
        QVERIFY(launcher::sendCommand(test.home(), folder, ControlCommand::Checkpoint).isAccepted);
        QTRY_VERIFY(!folder.checkpointSteps().empty());
        const auto before = folder.checkpointSteps().size();
        ::kill(TestHome::supervisors(folder).front(), SIGUSR1);
        QTRY_VERIFY(folder.checkpointSteps().size() > before);
        QCOMPARE(stateOf(folder), RunState::Running);
    }

    void sigtermToTheSupervisorStopsWithACheckpoint()
    {
        TestHome test;
        const auto folder = test.startedRun();
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        ::kill(TestHome::supervisors(folder).front(), SIGTERM);
        QTRY_COMPARE(stateOf(folder), RunState::Stopped);
        QCOMPARE(folder.checkpointSteps().size(), std::size_t {1});
    }

    void aRankThatIgnoresSignalsIsKilledAfterStopNow()
    {
        TestHome test;
        TestHome::setFake("deaf", 0);
        const auto folder = test.startedRun();
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        QVERIFY(launcher::sendCommand(test.home(), folder, ControlCommand::StopNow).isAccepted);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(folder), RunState::Stopped, 14'000);
        QVERIFY(TestHome::ranks(folder).empty());
    }
};

QTEST_GUILESS_MAIN(SupervisorCommandsTest)
#include "tst_supervisor_commands.moc"
