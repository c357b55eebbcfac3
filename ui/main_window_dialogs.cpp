// The windows beside the main window.
#include "ui/archive/pack_dialog.h"
#include "ui/archive/unpack_dialog.h"
#include "ui/debug/debug_dialog.h"
#include "ui/disk/disk_dialog.h"
#include "ui/import_dialog.h"
#include "ui/inspector/inspector.h"
#include "ui/logs/logs_dock.h"
#include "ui/main_window.h"
#include "ui/manual/manual_page.h"
#include "ui/notify/alerts_dialog.h"
#include "ui/notify/alerts_model.h"
#include "ui/plot/plots_view.h"
#include "ui/run_commands.h"
#include "ui/search/search_dialog.h"

#include <QAction>
#include <QDockWidget>
#include <QFileDialog>
#include <QTabWidget>

namespace ui {

void MainWindow::importRuns()
{
    if (auto* const open = findChild<ImportDialog*>())
        return open->raise();
    auto* dialog = new ImportDialog(*m_workbench, this);
    setManualPage(*dialog, QStringLiteral("import"));
    connect(dialog, &ImportDialog::imported, this, [this](const QStringList& ids) {
        if (!ids.isEmpty())
            openRun(ids.front());
    });
    dialog->show();
}

void MainWindow::openDisk()
{
    if (auto* const open = findChild<DiskDialog*>())
        return open->raise();
    auto* dialog = new DiskDialog(m_workbench->store, m_workbench->trash, m_workbench->runs, this);
    setManualPage(*dialog, QStringLiteral("disk"));
    dialog->setEmptyActions(firstSteps());
    connect(dialog, &DiskDialog::trashRequested, m_commands, &RunCommands::trash);
    connect(dialog, &DiskDialog::trashOpened, action("run.openTrash"), &QAction::trigger);
    connect(dialog, &DiskDialog::runChosen, this, [this](const QString& id) {
        constexpr int kCheckpoints = 2;
        openRun(id);
        m_tabs->setCurrentIndex(kCheckpoints);
        activateWindow();
    });
    dialog->show();
}

void MainWindow::openSearch()
{
    auto* dialog = findChild<SearchDialog*>();
    if (!dialog) {
        dialog = new SearchDialog(m_workbench->store, m_workbench->runs, this);
        setManualPage(*dialog, QStringLiteral("search"));
        connect(dialog, &SearchDialog::chosen, this, &MainWindow::showFound);
    }
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
    dialog->focusText();
}

void MainWindow::showFound(const FoundText& found)
{
    openRun(QString::fromStdString(found.run));
    QDockWidget* const dock = found.place == FoundIn::Log ? m_logsDock : m_inspectorDock;
    dock->show();
    dock->raise();
    switch (found.place) {
    case FoundIn::Log:
        return m_logs->showLine(found.file, found.offset);
    case FoundIn::Option:
        return m_inspector->showOption(QString::fromStdString(found.where));
    case FoundIn::Event:
        return m_inspector->showEvent(found.unixMs, found.text);
    case FoundIn::Cause:
        return m_inspector->showTab(Inspector::Tab::Overview);
    case FoundIn::Note:
        return m_inspector->showInNote(QString::fromStdString(found.text));
    case FoundIn::Name:
    case FoundIn::Project:
    case FoundIn::Tag:
        return m_inspector->showTab(Inspector::Tab::Notes);
    }
}

void MainWindow::markAlertsRead() { m_alerts->markAllRead(); }

void MainWindow::openAlerts()
{
    auto* dialog = findChild<AlertsDialog*>();
    if (!dialog) {
        dialog = new AlertsDialog(*m_alerts, this);
        setManualPage(*dialog, QStringLiteral("views"));
        connect(dialog, &AlertsDialog::chosen, this, [this](const QString& runId, qint64 step) {
            openRun(runId);
            if (step <= 0)
                return;
            m_tabs->setCurrentWidget(m_plots);
            m_plots->pinStep(runId, step);
        });
    }
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
}

void MainWindow::openDebugPackage()
{
    const RunEntry* const entry = m_workbench->runs.entry(m_workbench->selection.inspected());
    if (!entry)
        return showStatus(tr("No run is selected."));
    auto* dialog = new DebugDialog(m_workbench->home, contract::RunFolder(entry->row.folder), this);
    setManualPage(*dialog, QStringLiteral("debug"));
    dialog->show();
}

void MainWindow::packRun()
{
    const RunEntry* const entry = m_workbench->runs.entry(m_workbench->selection.inspected());
    if (!entry)
        return showStatus(tr("No run is selected."));
    auto* dialog = new PackDialog(contract::RunFolder(entry->row.folder), entry->name(), this);
    setManualPage(*dialog, QStringLiteral("pack"));
    dialog->show();
}

void MainWindow::chooseArchive()
{
    auto* dialog = new QFileDialog(this, tr("Unpack a run"), {}, tr("Packed runs (*.tar);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::unpackRun);
    dialog->open();
}

void MainWindow::unpackRun(const QString& file)
{
    auto* dialog = new UnpackDialog(m_workbench->home, file, this);
    setManualPage(*dialog, QStringLiteral("pack"));
    connect(dialog, &UnpackDialog::unpacked, this, [this](const QString& runId, const QString& folder) {
        m_workbench->store.catchUp(folder);
        openRun(runId);
    });
    dialog->show();
}

}  // namespace ui
