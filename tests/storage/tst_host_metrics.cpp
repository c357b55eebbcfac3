// E8: the machine's curves in the index: facts of a time, which no resumed attempt undoes and which are no progress of the run.
#include "engine/contract/run/journal.h"
#include "storage/ingest.h"
#include "storage/reports/comparison.h"
#include "tests/storage/run_home.h"

#include <QtTest>

#include <algorithm>

using contract::kHostRank;
namespace metric = contract::metric;

namespace {

const storage::SeriesRow* seriesOf(const std::vector<storage::SeriesRow>& all, const std::string& name, int attempt)
{
    const auto found = std::ranges::find_if(all, [&](const auto& row) { return row.metric == name && row.attempt == attempt; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

class HostMetricsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void E8_theMachinesCurvesAreNeitherSupersededNorProgress()
    {
        const RunHome home;
        const auto run = home.createRun("a");
        beginAttempt(run, 2, 1, 2);
        append(run.journal(0), headerLine(1, 0) + stepLine(1, 10, {{"loss", 1}}) + stepLine(3, 20, {{"loss", 3}}) + headerLine(2, 0, 2'000'000) + stepLine(3, 5, {{"loss", 2}}));
        append(run.journal(kHostRank), headerLine(1, kHostRank) + stepLine(0, 0, {{metric::kCpuLoad, 0.25}}, "host")
                + stepLine(5, 5000, {{metric::kCpuLoad, 0.5}}, "host") + headerLine(2, kHostRank, 2'000'000)
                + stepLine(900, 900'000, {{metric::kCpuLoad, 1}}, "host"));
        storage::Store store(home.database());
        const auto result = storage::catchUpAll(store, home.runs());
        QVERIFY(result.empty());
        const auto all = store.series("a");
        const auto* first = seriesOf(all, metric::kCpuLoad, 1);
        QVERIFY(first && first->rank == kHostRank && first->points == 2);
        QVERIFY(!first->supersededAfter);
        QVERIFY(seriesOf(all, "loss", 1)->supersededAfter);
        QCOMPARE(store.points(first->id).back().value, 0.5);
        const auto row = store.run("a");
        QCOMPARE(row->lastStep, 3);
        QCOMPARE(row->lastRecordUnixMs, 2'000'005);  // of rank 0, although the machine was measured long after
        const storage::Comparison comparison = compareRuns(store, {"a"});
        QVERIFY(std::ranges::none_of(comparison.rows, [](const auto& each) { return each.name.starts_with(metric::kHostPrefix); }));
    }
};

QTEST_GUILESS_MAIN(HostMetricsTest)
#include "tst_host_metrics.moc"
