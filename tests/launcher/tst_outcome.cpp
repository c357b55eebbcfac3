#include "launcher/state/outcome.h"

#include <QtTest>

#include <csignal>

using launcher::JournalEnd;
using launcher::StopRequest;
using launcher::RankExit;

namespace {

RankExit exited(int rank, int code, bool endedBySupervisor = false)
{
    RankExit exit;
    exit.rank = rank;
    exit.code = code;
    exit.step = 7;
    exit.endedBySupervisor = endedBySupervisor;
    return exit;
}

RankExit signalled(int rank, int number, bool endedBySupervisor = false, bool sawOomKill = false)
{
    RankExit exit = exited(rank, number, endedBySupervisor);
    exit.isSignal = true;
    exit.sawOomKill = sawOomKill;
    return exit;
}

}  // namespace

class OutcomeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theFirstOwnFaultIsTheCause_data()
    {
        using Exits = std::vector<RankExit>;
        QTest::addColumn<Exits>("exits");
        QTest::addColumn<StopRequest>("request");
        QTest::addColumn<QString>("rankZeroSays");
        QTest::addColumn<QString>("outcome");
        QTest::addColumn<QString>("cause");
        QTest::newRow("all done") << Exits {exited(1, 0), exited(0, 0)} << StopRequest::None << "finished"
                                  << "finished" << "";
        QTest::newRow("stopped itself") << Exits {exited(0, 0), exited(1, 0)} << StopRequest::AfterStep
                                        << "stopped" << "stopped" << "";
        QTest::newRow("no last word") << Exits {exited(0, 0), exited(1, 0)} << StopRequest::None << ""
                                      << "finished" << "";
        QTest::newRow("lost peers noticed before the death")
            << Exits {exited(0, 3), exited(2, 3), signalled(1, SIGKILL)} << StopRequest::None << ""
            << "failed" << "Rank 1 was killed (signal 9) after step 7; its log is logs/rank-1.log";
        QTest::newRow("only lost peers") << Exits {exited(1, 3), exited(0, 3)} << StopRequest::None << ""
                                         << "failed"
                                         << "Rank 1 lost its peers after step 7; its log is logs/rank-1.log";
        QTest::newRow("out of memory")
            << Exits {signalled(1, SIGKILL, false, true), signalled(0, SIGKILL, true)} << StopRequest::None << ""
            << "failed" << "Rank 1 was killed (signal 9, out of memory) after step 7; its log is logs/rank-1.log";
        QTest::newRow("killed by the user") << Exits {signalled(0, SIGKILL, true), signalled(1, SIGKILL, true)}
                                            << StopRequest::Kill << "" << "stopped" << "killed by the user";
        QTest::newRow("failed before the user killed it")
            << Exits {exited(1, 1), signalled(0, SIGKILL, true)} << StopRequest::Kill << "" << "failed"
            << "Rank 1 failed (exit code 1) after step 7; its log is logs/rank-1.log";
        QTest::newRow("stopped now") << Exits {exited(0, 0, true), signalled(1, SIGKILL, true)}
                                     << StopRequest::Now << "stopped" << "stopped" << "stopped now";
        QTest::newRow("hung in the destructor after the end")
            << Exits {exited(0, 0), signalled(1, SIGKILL, true)} << StopRequest::None << "finished" << "finished" << "";
        QTest::newRow("finished before the kill arrived")
            << Exits {exited(0, 0), signalled(1, SIGKILL, true)} << StopRequest::Kill << "finished" << "finished" << "";
        QTest::newRow("defect-37: a timeout, and peers that were lost to it")
            << Exits {exited(1, 3), exited(0, 6)} << StopRequest::None << "" << "failed"
            << "Rank 0 waited too long for another rank after step 7; its log is logs/rank-0.log";
        QTest::newRow("defect-37: a rank ran out of memory, the others timed out or lost it")
            << Exits {exited(2, 6), exited(1, 3), exited(0, 4)} << StopRequest::None << "" << "failed"
            << "Rank 0 ran out of memory after step 7; its log is logs/rank-0.log";
        QTest::newRow("wrong checkpoint") << Exits {exited(0, 5), exited(1, 5)} << StopRequest::None << "" << "failed"
                                          << "Rank 0 failed (exit code 5) after step 7; its log is logs/rank-0.log";
    }
    void theFirstOwnFaultIsTheCause()
    {
        QFETCH(std::vector<RankExit>, exits);
        QFETCH(StopRequest, request);
        QFETCH(QString, rankZeroSays);
        JournalEnd rankZero;
        rankZero.outcome = rankZeroSays.toStdString();
        const auto result = launcher::judgeOutcome(exits, request, rankZero);
        QTEST(QString::fromStdString(result.word), "outcome");
        QTEST(QString::fromStdString(result.cause), "cause");
    }

    void theErrorLineIsThatOfTheRankItself()
    {
        QCOMPARE(launcher::lastErrorLine("noise\nerror: rank 1: no data\n", 1), std::string("no data"));
        QCOMPARE(launcher::lastErrorLine("error: rank 1: first\nerror: rank 1: last", 1), std::string("last"));
        QCOMPARE(launcher::lastErrorLine("error: rank 11: no\n", 1), std::string());
        QCOMPARE(launcher::lastErrorLine("text error: rank 1: no\n", 1), std::string());
        QCOMPARE(launcher::lastErrorLine("", 0), std::string());
    }
};

QTEST_GUILESS_MAIN(OutcomeTest)
#include "tst_outcome.moc"
