#include "tests/ui/screenshots/pages.h"

#include "engine/contract/formats/output_file.h"
#include "engine/contract/run/annotations.h"
#include "engine/contract/run/journal_writer.h"
#include "engine/contract/run/lock_byte.h"
#include "launcher/queue/scheduler_lock.h"
#include "launcher/runs/launch.h"
#include "launcher/scheduler/start_scheduler.h"
#include "tests/ui/support/test_home.h"
#include "ui/failure_dialog.h"
#include "ui/manual/manual_window.h"
#include "ui/plot/plots_view.h"
#include "ui/runs/annotate_dialog.h"
#include "ui/runs/columns_dialog.h"
#include "ui/runs/line_dialog.h"
#include "ui/runs/runs_view.h"
#include "ui/trash_dialog.h"

#include <QDockWidget>
#include <QLineEdit>
#include <QTabWidget>
#include <QTreeView>

#include <cmath>
#include <fstream>
#include <unistd.h>

namespace screenshots {

void showTable(Album& album)
{
    const ui_test::TestHome home;
    const char* const names[] = {"baseline", "slower", "lora16", "lora64", "unwarmed"};
    QStringList ids;
    for (int run = 0; run < 5; ++run) {
        const auto folder = home.writeRun(std::string(names[run]) + "-20261121-10000" + std::to_string(run) + "-aaaa", 60 + 10 * run,
            run == 4 ? "" : "finished");
        setFacts(folder, names[run], 100);
        contract::Experiment experiment = contract::loadExperiment(folder.config(1)).experiment;
        experiment.setText("optim.lr", run == 1 ? "1e-4" : "3e-4");
        experiment.setText("schedule.warmup_steps", run == 4 ? "0" : "20");
        contract::writeFileAtomically(folder.config(1), experiment.toToml(contract::Experiment::Write::Everything));
        contract::JournalHeader header;
        header.run = folder.id();
        contract::JournalWriter journal(folder.journal(0), header);
        for (int step = 1; step <= 60 + 10 * run; ++step) {
            const double loss = 0.3 + 0.02 * run + std::exp(-step / (30.0 - 4 * run));
            journal.begin(contract::record::kStep, step).add(contract::metric::kValidationLoss, loss);
            journal.commit();
        }
        contract::Annotations notes;
        notes.project = run < 2 ? "rates" : "adapters";
        if (run == 2 || run == 3)
            notes.tags = {"lora", run == 2 ? "r16" : "r64"};
        notes.notes = run == 4 ? "Diverges without a warm-up." : "";
        contract::appendAnnotations(folder.annotations(), {}, notes);
        ids << QString::fromStdString(folder.id());
    }
    home.ingest();
    const auto opened = openWindow(home.home());
    ui::MainWindow& window = *opened;
    settle(window);
    ui::RunsView& runs = window.runsView();
    for (const storage::RunField& field : {storage::RunField {storage::RunField::Kind::Parameter, "optim.lr"},
             storage::RunField {storage::RunField::Kind::Lowest, "validation/loss"}})
        runs.columns().setFieldShown(field, true);
    runs.columns().setColumnShown(ui::RunsModel::Tags, true);
    runs.columns().setColumnShown(ui::RunsModel::Progress, false);
    window.resizeDocks({static_cast<QDockWidget*>(runs.parentWidget())}, {620}, Qt::Horizontal);
    window.workbench().selection.setDrawn(ids.mid(0, 3), true);
    window.tabs().setCurrentIndex(3);
    settle(window);
    album.keepBoth(window, QStringLiteral("compare"));
    window.tabs().setCurrentIndex(0);
    window.workbench().selection.setDrawn(ids, true);
    window.findChild<ui::PlotsView*>()->viewState().setGrouping({.by = ui::Grouping::By::Option, .option = "optim.lr"});
    settle(window);
    album.keepBoth(window, QStringLiteral("groups"));
    window.findChild<ui::PlotsView*>()->viewState().setShowsDifferences(true);
    window.workbench().selection.setAllDrawn(ids.mid(0, 3));
    window.workbench().actions.action(QStringLiteral("view.metrics"))->trigger();
    settle(window);
    album.keepBoth(window, QStringLiteral("metrics"));
    auto* filter = runs.findChild<QLineEdit*>();
    filter->setText(QStringLiteral("tag:lora or optim.lr < 2e-4"));
    settle(window);
    album.keepBoth(window, QStringLiteral("differences"));
    filter->setText(QStringLiteral("los < 0.3 and tag:lora"));
    settle(window);
    album.keepBoth(runs, QStringLiteral("filter-mistake"));
    filter->clear();
    window.workbench().actions.action(QStringLiteral("view.columns"))->trigger();
    settle(window);
    album.keepBoth(*window.findChild<ui::ColumnsDialog*>(), QStringLiteral("columns"));
    window.findChild<ui::ColumnsDialog*>()->close();
    runs.findChild<QTreeView*>()->selectAll();
    window.workbench().actions.action(QStringLiteral("run.tags"))->trigger();
    settle(window);
    album.keepBoth(*window.findChild<ui::AnnotateDialog*>(), QStringLiteral("annotate"));
}

/// As many runs as have looks without markers, and some more; two of them have a look that the user has chosen.
void showLines(Album& album)
{
    const ui_test::TestHome home;
    constexpr int kRuns = 32;
    QStringList ids;
    for (int run = 0; run < kRuns; ++run) {
        const std::string number = std::to_string(100 + run);
        const auto folder = home.writeRun("run" + number + "-20261121-100" + number + "-aaaa", 0, "");
        setFacts(folder, "run" + number, 400);
        contract::JournalHeader header;
        header.run = folder.id();
        contract::JournalWriter journal(folder.journal(0), header);
        for (int step = 1; step <= 400; ++step) {
            const double loss = 0.2 + 0.05 * run + std::exp(-step / (60.0 + 5 * run)) + 0.01 * std::sin(step * (0.7 + run));
            journal.begin(contract::record::kStep, step).add(contract::metric::kLoss, loss);
            journal.commit();
        }
        contract::Annotations own;
        if (run == 3)
            own.line = {.colour = 0xfff5a0, .dash = contract::LineDash::Solid, .marker = contract::LineMarker::Diamond};
        contract::appendAnnotations(folder.annotations(), {}, own);
        ids << QString::fromStdString(folder.id());
    }
    home.ingest();
    const auto opened = openWindow(home.home());
    ui::MainWindow& window = *opened;
    settle(window);
    window.workbench().selection.setAllDrawn(ids.mid(0, 20));
    settle(window);
    album.keepBoth(window, QStringLiteral("lines-20"));
    window.workbench().selection.setAllDrawn(ids);
    window.workbench().selection.setAllDrawn(ids.mid(3, 1) + ids.mid(14));
    window.runsView().findChild<QTreeView*>()->selectAll();
    settle(window);
    album.keepBoth(window, QStringLiteral("lines-markers"));
    window.runsView().select(ids[3]);
    window.workbench().actions.action(QStringLiteral("run.line"))->trigger();
    settle(window);
    album.keepBoth(*window.findChild<ui::LineDialog*>(), QStringLiteral("line"));
}

void showFailure(Album& album)
{
    const ui_test::TestHome home;
    const auto run = home.writeRun("sd3-lora-20261121-100000-aaaa", 0, "");
    setFacts(run, "sd3-lora", 2000);
    contract::AttemptStart start;
    start.startUnixMs = 1795255200000;
    start.ranks = 4;
    run.writeStart(start);
    const auto journal = [&](int rank) {
        return contract::JournalWriter(run.journal(rank), {.version = 1, .run = run.id(), .attempt = 1, .rank = rank, .host = {}, .startUnixMs = start.startUnixMs});
    };
    for (int rank = 0; rank < 4; ++rank) {
        contract::JournalWriter writer = journal(rank);
        for (int step = 1; step <= 412; ++step) {
            writer.begin(contract::record::kStep, step).add(contract::metric::kLoss, 0.2 + std::exp(-step / 90.0));
            writer.add(contract::metric::kResident, 21.3e9 + 2e7 * rank).add(contract::metric::kStepTime, 812.0).add(contract::metric::kDataTime, 9.0);
            writer.add(contract::metric::kForwardTime, rank == 2 ? 360.0 : 260.0).add(contract::metric::kBackwardTime, 440.0);
            writer.add(contract::metric::kCommunicationTime, rank == 2 ? 4.0 + step % 5 : 104.0 - 3 * (step % 7)).add(contract::metric::kOptimizerTime, 31.0).commit();
        }
    }
    contract::JournalWriter supervisor = journal(contract::kSupervisorRank);
    const std::string cause = "Rank 2 was killed (signal 9, out of memory) after step 412";
    const auto exited = [&](int rank, const char* how, int code, const char* level, const std::string& message) {
        supervisor.begin(contract::record::kEvent, 412).add("level", level).add("kind", contract::event::kRankExit).add("rank", std::int64_t {rank});
        supervisor.add(how, std::int64_t {code}).add("message", message).commit();
    };
    exited(2, "signal", 9, "error", cause);
    exited(0, "exit_code", 3, "error", "Rank 0 lost its peers after step 412: all-gather of blocks.17 failed: Connection closed by peer");
    exited(3, "exit_code", 3, "error", "Rank 3 lost its peers after step 412: all-gather of blocks.17 failed: Connection closed by peer");
    exited(1, "signal", 9, "info", "Rank 1 was killed (signal 9) after step 412");
    supervisor.begin(contract::record::kEnd, 412).add("outcome", "failed").add("cause", cause).commit();
    journal(contract::kHostRank).begin(contract::record::kHost, 5).add(contract::metric::kHostMemory, 125.4e9).commit();
    std::ofstream log(run.log(2));
    for (int step = 393; step <= 412; ++step)
        log << "2026-11-21 10:" << 10 + step % 40 << ":04.318 [info] [rank 2] [step " << step << "] loss 0.2" << 400 - step % 7 << ", 812 ms\n";
    log.close();
    home.ingest();
    const auto opened = openWindow(home.home());
    ui::MainWindow& window = *opened;
    settle(window);
    window.openRun(QString::fromStdString(run.id()));
    window.findChild<QDockWidget*>(QStringLiteral("stepsDock"))->raise();
    settle(window);
    album.keepBoth(window, QStringLiteral("failed"));
    window.workbench().actions.action(QStringLiteral("run.failure"))->trigger();
    auto* page = window.findChild<ui::FailureDialog*>();
    waitFor([&] { return !page->text().isEmpty(); });
    settle(window);
    album.keepBoth(*page, QStringLiteral("failure"));
    page->close();
}

void showLongNamesAndTrash(Album& album)
{
    const ui_test::TestHome home;
    const std::string name(150, 'n');
    home.writeRun(name + "-20261121-100000-aaaa", 80, "failed", "Rank 1 cannot read /" + std::string(120, 'p'));
    launcher::moveToTrash(home.home(), home.writeRun("removed-20261121-100001-bbbb", 80, "finished"));
    home.ingest();
    const auto opened = openWindow(home.home(), QSize(1280, 800));
    ui::MainWindow& window = *opened;
    settle(window);
    album.keepBoth(window, QStringLiteral("long-names"));
    window.workbench().actions.action(QStringLiteral("run.openTrash"))->trigger();
    settle(window);
    album.keepBoth(*window.findChild<ui::TrashDialog*>(), QStringLiteral("trash"));
}

void showQueue(Album& album)
{
    const ui_test::TestHome home;
    int scheduler = -1;
    contract::takeByte(launcher::queueLock(home.home()), contract::LockByte::Scheduler, scheduler);
    std::vector<launcher::QueueEntry> entries;
    for (const char* name : {"baseline", "lr-3e-4", "lr-1e-4", "emoji-wide", "flow-grpo"}) {
        contract::Experiment experiment;
        experiment.setText("run.name", name);
        entries.push_back(launcher::entryFor(launcher::createRun(home.home(), experiment).folder, 1, experiment));
    }
    entries[1].isHeld = true;
    entries[3].isHeld = true;
    entries[3].problem = "the port 29500 is in use; choose another one";
    launcher::enqueue(home.home(), entries, {});
    home.writeRun("digits-20261121-100000-aaaa", 80, "finished");
    home.ingest();
    const auto opened = openWindow(home.home());
    ui::MainWindow& window = *opened;
    window.findChild<QDockWidget*>(QStringLiteral("queueDock"))->raise();
    waitFor([&] { return window.workbench().queue.state().queue.waiting.size() == entries.size(); });
    settle(window);
    album.keepBoth(window, QStringLiteral("queue"));
    ::close(scheduler);
}

void showManual(Album& album)
{
    ui::ManualWindow manual;
    for (const char* page : {"index", "plots", "rewards", "other-programs"}) {
        manual.open(QLatin1String(page));
        waitFor([&] { return manual.isVisible() && manual.page() == QLatin1String(page); });
        album.keepBoth(manual, QStringLiteral("manual-%1").arg(QLatin1String(page)));
    }
}

}  // namespace screenshots
