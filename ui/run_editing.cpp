// The actions on runs that start and end nothing: names, notes, folders, exports, the trash, and what takes them back.
#include "ui/run_commands.h"

#include "engine/contract/run/journal.h"
#include "ui/base/background.h"
#include "ui/base/plain_text.h"
#include "ui/manual/manual_page.h"
#include "ui/metric_export.h"
#include "ui/metric_export_dialog.h"
#include "ui/runs/line_dialog.h"
#include "ui/trash_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QFileDialog>
#include <QInputDialog>
#include <QUrl>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace ui {

void RunCommands::registerEditing()
{
    ActionRegistry& actions = m_workbench.actions;
    actions.add({"run.draw", tr("&Draw or hide"), "eye", {}, tr("Draw the runs in the plots, or hide them"), {}},
        [this] {
            const QStringList ids = m_selected();
            const bool isDrawn = !ids.isEmpty() && m_workbench.selection.isDrawn(ids.front());
            m_workbench.selection.setDrawn(ids, !isDrawn);
        });
    actions.add({"run.rename", tr("Re&name…"), "rename", QKeySequence(Qt::Key_F2), tr("Give the run another name"),
                    "atelier rename RUN NAME"},
        [this] { rename(); });
    actions.add({"run.tags", tr("Ta&gs…"), {}, QKeySequence(Qt::CTRL | Qt::Key_T), tr("Add tags to the runs, or remove them"),
                    "atelier tag RUN… --add TAG"},
        [this] { annotate(AnnotateDialog::Part::Tags); });
    actions.add({"run.project", tr("Pro&ject…"), {}, {}, tr("Give the runs another project"), "atelier project RUN… --to PROJECT"},
        [this] { annotate(AnnotateDialog::Part::Project); });
    actions.add({"run.note", tr("Not&e…"), {}, {}, tr("Write a note about the runs"), "atelier note RUN… --text TEXT"},
        [this] { annotate(AnnotateDialog::Part::Note); });
    actions.add({"run.line", tr("Line…"), {}, {}, tr("Choose the colour, dash pattern and marker of the runs' lines in plots"),
                    "atelier look RUN… --color COLOR --line DASH --marker MARKER"},
        [this] { chooseLine(m_selected()); });
    actions.add({"run.archive", tr("&Archive or restore"), "archive", {},
                    tr("Hide the runs from the table, or show them again"), "atelier archive RUN…"},
        [this] { archive(); });
    actions.add({"run.export", tr("E&xport metrics…"), {}, {}, tr("Write every metric value of the runs to CSV or JSON files"),
                    "atelier export RUN --csv --output FILE"},
        [this] { exportMetrics(); });
    actions.add({"run.openFolder", tr("Open &folder"), "folder", {}, tr("Open the run's folder"), {}}, [this] {
        for (const QString& folder : folders())
            QDesktopServices::openUrl(QUrl::fromLocalFile(folder));
    });
    actions.add({"run.openProfile", tr("Open &profile folder"), "folder", {},
                    tr("Open the folder with the traces that the option run.profile_steps records"), {}},
        [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(profileFolder())); });
    actions.add({"run.copyId", tr("Copy &id"), "copy", {}, tr("Copy the runs' ids"), {}},
        [this] { QApplication::clipboard()->setText(m_selected().join(QLatin1Char('\n'))); });
    // Del acts only where the runs have the focus; in other views it would delete what the user does not look at.
    actions.add({"run.trash", tr("Move to &trash"), "trash", QKeySequence(QKeySequence::Delete),
                    tr("Move the runs' folders to the trash; this can be undone"), "atelier rm RUN", QStringLiteral("runs")},
        [this] { trash(m_selected()); })->setShortcutContext(Qt::WidgetShortcut);
    actions.add({"run.openTrash", tr("Tras&h…"), "trash", {},
                    tr("List what was moved to the trash, restore it, or delete it for good"), "atelier trash"},
        [this] { openTrash(); });
}

QString RunCommands::profileFolder() const
{
    const RunFacts& facts = m_workbench.facts.facts();
    const RunEntry* const entry = m_workbench.runs.entry(facts.runId);
    if (!entry || !m_selected().contains(facts.runId))
        return {};
    const auto newest = std::find_if(facts.events.rbegin(), facts.events.rend(),
        [](const storage::EventRow& event) { return event.kind == contract::event::kProfile; });
    if (newest == facts.events.rend())
        return {};
    const std::filesystem::path trace = std::filesystem::path(entry->row.folder) / newest->message;
    return QString::fromStdString(trace.parent_path().string());
}

void RunCommands::refreshProfile()
{
    m_workbench.actions.setEnabled(QStringLiteral("run.openProfile"), !profileFolder().isEmpty(),
        tr("This run has no profile. Set the option run.profile_steps, for example to 10..15, to record one."));
}

/// Whether the runs in the trash were moved there after the last edit that can be undone.
bool RunCommands::isTrashUndoneNext() const
{
    return !undoable().empty() && (m_edits.undoable().isEmpty() || (!m_trashed.isEmpty() && m_trashedSince > m_edits.undoableSince()));
}

RunCommands::UndoableEdit RunCommands::undoableEdit() const
{
    if (isTrashUndoneNext())
        return {tr("&Undo move to trash"), m_trashedSince};
    const QString edit = m_edits.undoable();
    return edit.isEmpty() ? UndoableEdit {} : UndoableEdit {tr("&Undo: %1").arg(edit), m_edits.undoableSince()};
}

void RunCommands::rename()
{
    const auto chosen = selected();
    if (chosen.size() != 1 || (m_renameInPlace && m_renameInPlace()))
        return;
    auto* dialog = new QInputDialog(m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Rename"));
    dialog->setLabelText(tr("Name of the run:"));
    dialog->setTextValue(chosen.front().name());
    connect(dialog, &QInputDialog::textValueSelected, this,
        [this, folder = chosen.front().folder()](const QString& name) {
            if (!name.trimmed().isEmpty())
                edit(tr("rename"), {folder}, [to = name.trimmed().toStdString()](contract::Annotations& run) { run.name = to; });
        });
    dialog->open();
}

void RunCommands::annotate(AnnotateDialog::Part first)
{
    const auto chosen = selected();
    if (chosen.empty())
        return;
    auto* dialog = new AnnotateDialog(chosen, m_workbench.runs.entries(), first, m_window);
    setManualPage(*dialog, QStringLiteral("runs"));
    connect(dialog, &AnnotateDialog::confirmed, this,
        [this, folders = folders()](const RunEdits::Change& change) {
            edit(tr("edit of project, tags and note"), folders, change);
        });
    dialog->open();
}

void RunCommands::chooseLine(const QStringList& runIds)
{
    const auto chosen = entries(runIds);
    if (chosen.empty())
        return;
    QStringList folders;
    for (const RunEntry& entry : chosen)
        folders << entry.folder();
    auto* dialog = new LineDialog(chosen, std::max(0, m_workbench.selection.lookOf(chosen.front().id())), m_window);
    setManualPage(*dialog, QStringLiteral("plots"));
    connect(dialog, &LineDialog::confirmed, this,
        [this, folders](const RunEdits::Change& change) { edit(tr("change of the line"), folders, change); });
    dialog->open();
}

void RunCommands::exportMetrics()
{
    const auto chosen = selected();
    if (chosen.empty())
        return;
    if (chosen.size() > 1) {
        auto* const several = new MetricExportDialog(m_workbench.home, chosen, m_window);
        setManualPage(*several, QStringLiteral("runs"));
        connect(several, &MetricExportDialog::finished, this, &RunCommands::statusMessage);
        return several->open();
    }
    auto* dialog = new QFileDialog(m_window, tr("Export the metrics of %1").arg(plainTitle(chosen.front().name())), QString(),
        tr("Comma-separated values (*.csv);;JSON (*.json);;TensorBoard folder (*.tensorboard)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    dialog->selectFile(chosen.front().id() + QStringLiteral(".csv"));
    connect(dialog, &QFileDialog::filterSelected, dialog,
        [dialog](const QString& filter) {
            for (const char* suffix : {"csv", "json", "tensorboard"}) {
                if (filter.contains(QLatin1String(suffix)))
                    dialog->setDefaultSuffix(QLatin1String(suffix));
            }
        });
    connect(dialog, &QFileDialog::fileSelected, this, [this, id = chosen.front().row.id](const QString& file) {
        const auto write = [database = m_workbench.home.database(), id, file] { return writeMetrics(database, id, file); };
        inBackground(this, write, [this, file](const QString& error) {
            Q_EMIT statusMessage(error.isEmpty() ? tr("The metrics were written to %1.").arg(file) : error);
        });
    });
    dialog->open();
}

void RunCommands::archive()
{
    const auto chosen = selected();
    if (chosen.empty())
        return;
    const bool isArchived = chosen.front().row.isArchived;
    edit(isArchived ? tr("restore from the archive") : tr("archive"), folders(),
        [isArchived](contract::Annotations& run) { run.isArchived = !isArchived; });
}

void RunCommands::edit(const QString& what, const QStringList& folders, RunEdits::Change change)
{
    m_undone.clear();
    m_edits.edit(what, folders, std::move(change));
}

void RunCommands::trash(const QStringList& runIds)
{
    m_undone.clear();
    moveToTrash(runIds);
}

void RunCommands::moveToTrash(const QStringList& runIds)
{
    m_trashed.clear();
    m_trashedSince = std::chrono::steady_clock::now();
    QStringList trashable;
    for (const RunEntry& entry : entries(runIds)) {
        if (refusal(RunVerb::Trash, entry).isEmpty())
            trashable << entry.folder();
    }
    m_workbench.control.trash(trashable);
}

std::vector<launcher::TrashItem> RunCommands::undoable() const
{
    std::vector<launcher::TrashItem> last;
    std::vector<launcher::TrashItem> together;
    for (const launcher::TrashItem& item : m_workbench.trash.items()) {
        if (item.checkpointStep)
            continue;
        if (last.empty())
            last.push_back(item);
        if (m_trashed.contains(QString::fromStdString(item.name)))
            together.push_back(item);
    }
    return together.empty() ? last : together;
}

void RunCommands::undo()
{
    QStringList restored;
    if (isTrashUndoneNext()) {
        const auto items = undoable();
        for (const launcher::TrashItem& item : items)
            restored << QString::fromStdString(item.runId());
        m_workbench.control.restore(items);
        m_trashed.clear();
    } else {
        m_edits.undo();
    }
    m_undone.push_back(restored);
    refresh();
}

QString RunCommands::redoableEdit() const
{
    if (isTrashRedoneNext())
        return entries(m_undone.back()).empty() ? QString() : tr("move to trash");  // they may not have come back yet
    return m_edits.redoable();
}

void RunCommands::redo()
{
    const QStringList runs = m_undone.empty() ? QStringList() : m_undone.back();
    if (!m_undone.empty())
        m_undone.pop_back();
    runs.isEmpty() ? m_edits.redo() : moveToTrash(runs);
    refresh();
}

void RunCommands::openTrash()
{
    auto* const dialog = new TrashDialog(m_workbench, m_window);
    setManualPage(*dialog, QStringLiteral("runs"));
    dialog->open();
}

}  // namespace ui
