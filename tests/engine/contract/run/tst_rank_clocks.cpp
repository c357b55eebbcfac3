// How far the clocks of hosts differ is found from the steps that their ranks have in common.
#include "engine/contract/run/rank_clocks.h"
#include "tests/support/skewed_run.h"

#include <QTemporaryDir>
#include <QtTest>

using contract::RankClocks;
using contract::RankTimes;

namespace {

constexpr std::int64_t kStart = 1'000'000'000;

/// Steps [1, count], one a second, by a clock that is @p aheadMs ahead and gains @p gain milliseconds a second.
RankTimes times(int rank, const char* host, std::int64_t aheadMs, int count = 200, double gain = 0, int attempt = 1, std::int64_t begin = kStart)
{
    RankTimes result {.rank = rank, .attempt = attempt, .host = host, .finishes = {}};
    for (int step = 1; step <= count; ++step) {
        const std::int64_t jitter = (step * 7919) % 41 - 20;  // ranks do not finish at the same millisecond
        const std::int64_t late = rank > 0 && step % 10 == 0 ? 30'000 : 0;  // now and then one is held up before it journals
        result.finishes.push_back({step, begin + 1000 * step + aheadMs + static_cast<std::int64_t>(gain * step) + (rank > 0 ? jitter + late : 0)});
    }
    return result;
}

}  // namespace

class RankClocksTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aClockIsFoundFromCommonSteps_data()
    {
        QTest::addColumn<std::int64_t>("ahead");
        for (const std::int64_t ahead : {600'000, -420'000, 2'000, 86'400'000})
            QTest::newRow(qPrintable(QString::number(ahead))) << ahead;
    }
    void aClockIsFoundFromCommonSteps()
    {
        QFETCH(std::int64_t, ahead);
        const RankClocks clocks({times(0, "a", 0), times(1, "a", 0), times(2, "b", ahead)});
        QVERIFY(!clocks.areOne());
        QVERIFY2(std::abs(clocks.aheadMs(2) - ahead) <= 20, qPrintable(QString::number(clocks.aheadMs(2))));
        QCOMPARE(clocks.aheadMs(1), 0);
        QVERIFY(std::abs(clocks.byRankZero(2, kStart + 50'000 + ahead) - (kStart + 50'000)) <= 20);
        QVERIFY(std::abs(clocks.byRank(2, kStart + 50'000) - (kStart + 50'000 + ahead)) <= 20);
    }

    void clocksThatAgreeAreLeftAlone()
    {
        QVERIFY(RankClocks({times(0, "a", 0), times(1, "b", 300), times(2, "c", -900)}).areOne());
        QVERIFY(RankClocks({times(0, "a", 0), times(1, "a", 600'000)}).areOne());  // of one host, so that there is one clock
        QVERIFY(RankClocks({times(1, "b", 600'000)}).areOne());                    // nothing to compare with
        QVERIFY(RankClocks().areOne());
    }

    void aClockThatDriftsIsFollowed()
    {
        const RankClocks clocks({times(0, "a", 0, 1000), times(1, "b", 10'000, 1000, 5)});  // half a percent
        for (const int step : {100, 500, 900}) {
            const std::int64_t own = kStart + 1000 * step + 10'000 + 5 * step;
            QVERIFY2(std::abs(clocks.aheadMs(1, own) - (10'000 + 5 * step)) <= 40, qPrintable(QString::number(clocks.aheadMs(1, own))));
        }
    }

    void aClockThatWasSetBetweenAttemptsHasBothReadings()
    {
        const std::int64_t later = kStart + 3'600'000;
        const RankClocks clocks({times(0, "a", 0), times(1, "b", 600'000), times(0, "a", 0, 200, 0, 2, later), times(1, "b", 0, 200, 0, 2, later)});
        QVERIFY(std::abs(clocks.aheadMs(1, kStart + 600'000 + 100'000) - 600'000) <= 20);
        QVERIFY(std::abs(clocks.aheadMs(1, later + 100'000)) <= 20);
        QVERIFY(std::abs(clocks.aheadMs(1)) <= 20);
    }

    void aRankWithoutStepsHasTheClockOfItsHost()
    {
        const RankClocks clocks({times(0, "a", 0), times(1, "b", 600'000), times(2, "b", 0, 0), times(3, "c", 0, 0), times(-1, "b", 0, 0)});
        QVERIFY(std::abs(clocks.aheadMs(2) - 600'000) <= 20);
        QVERIFY(std::abs(clocks.aheadMs(-1) - 600'000) <= 20);
        QCOMPARE(clocks.aheadMs(3), 0);  // not known
    }

    void journalsAreRead_data()
    {
        QTest::addColumn<int>("steps");
        QTest::newRow("a few") << 10;
        QTest::newRow("more than is read at once") << 12'000;
    }
    void journalsAreRead()
    {
        QFETCH(int, steps);
        QTemporaryDir folder;
        const auto run = tests::writeSkewedRun(std::filesystem::path(folder.path().toStdString()) / "skewed-1", steps);
        const RankClocks clocks = contract::readRankClocks(run);
        for (int rank = 0; rank < 3; ++rank) {
            const std::int64_t ahead = tests::kAheadMs[static_cast<std::size_t>(rank)];
            QVERIFY2(std::abs(clocks.aheadMs(rank) - ahead) <= 400, qPrintable(QString::number(clocks.aheadMs(rank))));
        }
        QVERIFY(contract::readRankClocks(contract::RunFolder("/nowhere")).areOne());
        std::filesystem::remove(run.journal(1));
        std::filesystem::remove(run.journal(2));
        QVERIFY(contract::readRankClocks(run).areOne());
    }
};

QTEST_GUILESS_MAIN(RankClocksTest)
#include "tst_rank_clocks.moc"
