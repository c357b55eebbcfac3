// M5: a run answers commands within 200 ms.
#include "launcher/supervisor/control_client.h"
#include "tests/launcher/run_facts.h"
#include "tests/launcher/test_home.h"

#include <QElapsedTimer>
#include <QtTest>

using launcher::ControlCommand;
using launcher::RunState;

class AnswerTimesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void m05_stopLeavesACheckpointAndNoProcess()
    {
        TestHome test;
        const auto folder = test.startedRun();
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        QElapsedTimer timer;
        timer.start();
        const auto reply = launcher::sendCommand(test.home(), folder, ControlCommand::Stop);
        QVERIFY2(timer.elapsed() <= 200, "M5: acknowledged within 200 ms");
        QVERIFY2(reply.isAccepted, reply.error.c_str());
        QTRY_COMPARE(stateOf(folder), RunState::Stopped);
        QCOMPARE(folder.checkpointSteps().size(), std::size_t {1});
        QCOMPARE(folder.checkpointSteps().front(), launcher::inspectRun(folder).step);
        QVERIFY(TestHome::ranks(folder).empty());
        QTRY_VERIFY(TestHome::supervisors(folder).empty());
        QVERIFY(!launcher::sendCommand(test.home(), folder, ControlCommand::Ping).isAccepted);
    }

    void m05_aFloodOfOutputDelaysNoAnswer()
    {
        TestHome test;
        TestHome::setFake("flood", 0);
        const auto folder = test.startedRun();
        QTRY_VERIFY(launcher::inspectRun(folder).step >= 3);
        for (int i = 0; i < 20; ++i) {
            QElapsedTimer timer;
            timer.start();
            QVERIFY(launcher::sendCommand(test.home(), folder, ControlCommand::Ping).isAccepted);
            QVERIFY(timer.elapsed() <= 200);
        }
    }
};

QTEST_GUILESS_MAIN(AnswerTimesTest)
#include "tst_answer_times.moc"
