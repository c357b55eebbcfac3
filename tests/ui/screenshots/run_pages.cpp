#include "tests/ui/screenshots/pages.h"

#include "engine/contract/formats/output_file.h"
#include "engine/contract/run/annotations.h"
#include "engine/contract/run/journal_writer.h"
#include "engine/contract/run/lock_byte.h"
#include "launcher/launch.h"
#include "launcher/scheduler.h"
#include "tests/ui/support/test_home.h"
#include "ui/plot/plots_view.h"
#include "ui/runs/annotate_dialog.h"
#include "ui/runs/columns_dialog.h"
#include "ui/runs/runs_view.h"
#include "ui/trash_dialog.h"

#include <QDockWidget>
#include <QLineEdit>
#include <QTabWidget>
#include <QTreeView>

#include <cmath>
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
    window.findChild<ui::PlotsView*>()->viewState().setShowsDifferences(true);
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
    launcher::enqueue(home.home(), entries);
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

}  // namespace screenshots
