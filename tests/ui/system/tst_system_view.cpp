// E8: the dock System shows what the machine did while the inspected run ran.
#include "engine/contract/run/journal_writer.h"
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/layout/system_metrics.h"
#include "ui/plot/plot_grid.h"
#include "ui/system/system_view.h"

#include <QLabel>
#include <QTest>

#include <fstream>

using ui::PlotPanel;

namespace {

constexpr int kGpus = 2;

void writeHost(const contract::RunFolder& run, int records)
{
    contract::JournalHeader header;
    header.run = run.id();
    header.rank = contract::kHostRank;
    contract::JournalWriter journal(run.journal(contract::kHostRank), header);
    for (int record = 0; record < records; ++record) {
        journal.begin(contract::record::kHost, 5 * record).add(contract::metric::kCpuLoad, 0.5).add(contract::metric::kCpuRanks, 0.25);
        journal.add(contract::metric::kHostDisk, 1e9);
        for (int gpu = 0; gpu < kGpus; ++gpu) {
            const std::string prefix = "system/gpu" + std::to_string(10 - gpu);
            journal.add(prefix + "_load", 0.9).add(prefix + "_memory_used_bytes", 8e9).add(prefix + "_memory_run_bytes", 6e9);
        }
        journal.commit();
    }
}

QStringList titles(const ui::SystemView& view)
{
    QStringList all;
    for (const PlotPanel* panel : view.grid().panels())
        all << panel->title();
    return all;
}

}  // namespace

class SystemViewTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void E8_gpusThenProcessorsAndDisk()
    {
        const ui_test::TestHome home;
        const auto run = home.writeRun("digits-20261121-100000-aaaa", 10, "finished");
        const auto other = home.writeRun("digits-20261121-100001-bbbb", 10, "finished");
        writeHost(run, 4);
        home.ingest();
        ui::StoreService store(home.home());
        ui::Selection selection;
        ui::SystemView view(store, selection);
        view.resize(1000, 300);
        view.show();
        const auto says = [&](const char* text) {
            const auto labels = view.findChildren<QLabel*>();
            return std::ranges::any_of(labels, [&](const QLabel* label) { return label->isVisibleTo(&view) && label->text().contains(text); });
        };
        QTRY_VERIFY(says("No run is selected"));
        selection.setInspected(QString::fromStdString(run.id()));
        const QStringList expected = {"GPU 9 load", "GPU 9 memory, all programs", "GPU 10 load", "GPU 10 memory, all programs", "Processors", "Free disk space"};
        QTRY_COMPARE(titles(view), expected);
        const auto lines = [&](std::size_t panel) { return view.grid().panels()[panel]->canvas().lines(); };
        QTRY_COMPARE(lines(1).size(), std::size_t(2));
        QCOMPARE(lines(1)[0].name, QStringLiteral("GPU 9 memory, all programs"));
        QCOMPARE(lines(1)[1].data->points.raw().values().back(), 6e9);
        QTRY_COMPARE(lines(4).size(), std::size_t(2));
        // A journal that grows is followed.
        writeHost(run, 6);
        home.ingest();
        QTRY_COMPARE(lines(5)[0].data->points.size(), std::size_t(6));
        selection.setInspected(QString::fromStdString(other.id()));
        QTRY_VERIFY(says("Nothing was recorded of the machine"));
        QCOMPARE(titles(view), QStringList());
    }

    /// The run was prepared hours before, and its ranks started a minute after the journal of the machine.
    void E8_timesCountFromTheJournalOfTheMachine()
    {
        constexpr qint64 kStartMs = 1795255200000;
        const ui_test::TestHome home;
        const auto run = home.writeRun("digits-20261121-100000-aaaa", 0, "finished");
        contract::AttemptStart start = run.readStart(1);
        start.startUnixMs = kStartMs - 3 * 3'600'000;
        run.writeStart(start);
        const auto header = [](int rank, qint64 unixMs) {
            return R"({"v":1,"run":"digits","attempt":1,"rank":)" + std::to_string(rank) + R"(,"host":"box","t_unix_ms":)" + std::to_string(unixMs) + "}\n";
        };
        std::ofstream(run.journal(0)) << header(0, kStartMs + 60'000);
        std::ofstream(run.journal(contract::kHostRank)) << header(contract::kHostRank, kStartMs) << R"({"type":"host","step":5,"t_ms":5000,"system/cpu_load":0.5})" "\n";
        home.ingest();
        ui::StoreService store(home.home());
        ui::Selection selection;
        ui::SystemView view(store, selection);
        view.show();
        selection.setInspected(QString::fromStdString(run.id()));
        QTRY_VERIFY(!view.grid().panels().empty() && !view.grid().panels().front()->canvas().lines().empty());
        QCOMPARE(view.grid().panels().front()->canvas().lines().front().data->points.x(0, ui::XAxis::WallTime), kStartMs / 1000.0 + 5);
    }

    void E8_theMachineIsNotAmongTheMetricsOfTheRun()
    {
        const ui::RunInfo info {"a", "a", 0, 0, {{"loss", 1, 5}, {"system/cpu_load", 1, 5}, {"system/gpu0_new_thing", 1, 5}}, ""};
        QCOMPARE(ui::metricNames({info}), (std::set<std::string> {"loss"}));
        QCOMPARE(ui::systemGroups({info}).size(), std::size_t(1));
        QCOMPARE(ui::metricUnit("system/gpu3_load"), ui::Unit::Share);
        QCOMPARE(ui::metricUnit("system/gpu3_memory_run_bytes"), ui::Unit::Bytes);
    }
};

ATELIER_UI_TEST_MAIN(SystemViewTest)
#include "tst_system_view.moc"
