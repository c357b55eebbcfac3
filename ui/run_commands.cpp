#include "ui/run_commands.h"

#include "engine/contract/run/journal.h"
#include "ui/base/background.h"
#include "ui/base/format.h"
#include "ui/base/plain_text.h"
#include "ui/metric_export.h"
#include "ui/more_steps_dialog.h"
#include "ui/trash_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QFileDialog>
#include <QInputDialog>
#include <QMessageBox>
#include <QPushButton>
#include <QUrl>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <utility>

namespace ui {
namespace {

using launcher::ControlCommand;

struct VerbAction {
    RunVerb verb;
    const char* id;
};

constexpr std::initializer_list<VerbAction> kVerbActions = {{RunVerb::Stop, "run.stop"},
    {RunVerb::StopNow, "run.stopNow"}, {RunVerb::Kill, "run.kill"}, {RunVerb::Checkpoint, "run.checkpoint"},
    {RunVerb::Sample, "run.sample"}, {RunVerb::Resume, "run.resume"}, {RunVerb::Trash, "run.trash"}};

QString nameOrCount(const QStringList& names)
{
    return names.size() == 1 ? names.front() : RunCommands::tr("%1 runs").arg(names.size());
}

bool hasFinished(const RunEntry& entry)
{
    return entry.status && entry.status->state == launcher::RunState::Finished;
}

}  // namespace

RunCommands::RunCommands(Workbench& workbench, QWidget* window, std::function<QStringList()> selected)
    : QObject(window)
    , m_workbench(workbench)
    , m_window(window)
    , m_selected(std::move(selected))
    , m_edits(workbench.store)
{
    registerControl();
    registerEditing();
    connectResults();
    connect(&m_workbench.facts, &FactsLoader::loaded, this, &RunCommands::refreshProfile);
    connect(&m_workbench.runs, &RunsModel::entryChanged, this, [this](const QString& id) {
        if (m_selected().contains(id))
            refresh();
    });
}

void RunCommands::registerControl()
{
    ActionRegistry& actions = m_workbench.actions;
    actions.add({"run.stop", tr("&Stop"), "stop", QKeySequence(Qt::CTRL | Qt::Key_Period),
                    tr("Finish the current step, write a checkpoint and exit"), "atelier stop RUN"},
        [this] { send(ControlCommand::Stop, selected()); });
    actions.add({"run.stopNow", tr("Stop n&ow"), "stop-now", {}, tr("Exit within seconds, without a checkpoint"),
                    "atelier stop --now RUN"},
        [this] { send(ControlCommand::StopNow, selected()); });
    actions.add({"run.kill", tr("&Kill…"), "kill", {}, tr("Kill all processes immediately, without a checkpoint"),
                    "atelier stop --kill RUN"},
        [this] { askKill(); });
    actions.add({"run.checkpoint", tr("&Checkpoint"), "checkpoint",
                    QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_K), tr("Write a checkpoint after this step"), {}},
        [this] { send(ControlCommand::Checkpoint, selected()); });
    actions.add({"run.sample", tr("Sa&mple"), "sample", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_M),
                    tr("Draw sample images after this step"), {}},
        [this] { send(ControlCommand::Sample, selected()); });
    actions.add({"run.resume", tr("&Resume"), "resume", {},
                    tr("Continue from the latest checkpoint; for a finished run, asks for more steps"),
                    "atelier resume RUN"},
        [this] { resume(selected()); });
}

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
    actions.add({"run.archive", tr("&Archive or restore"), "archive", {},
                    tr("Hide the runs from the table, or show them again"), "atelier archive RUN…"},
        [this] { archive(); });
    actions.add({"run.export", tr("E&xport metrics…"), {}, {}, tr("Write every metric value of the run to a CSV or JSON file"),
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
                    tr("Move the runs' folders to the trash; this can be undone"), "atelier rm RUN"},
        [this] { trash(); })->setShortcutContext(Qt::WidgetShortcut);
    actions.add({"edit.undo", tr("&Undo"), "revert", QKeySequence(QKeySequence::Undo),
                    tr("Undo the last edit of runs, or restore the runs that were last moved to the trash"), "atelier trash restore RUN"},
        [this] { undo(); });
    actions.add({"edit.redo", tr("&Redo"), {}, QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z),
                    tr("Do again what was undone last"), {}},
        [this] { redo(); });
    actions.add({"run.openTrash", tr("Tras&h…"), "trash", {},
                    tr("List what was moved to the trash, restore it, or delete it for good"), "atelier trash"},
        [this] { openTrash(); });
}

void RunCommands::connectResults()
{
    RunControl& control = m_workbench.control;
    const auto nameOf = [this](const QString& id) {
        const RunEntry* const entry = m_workbench.runs.entry(id);
        return entry ? entry->name() : id;
    };
    connect(&control, &RunControl::acknowledged, this, [this, nameOf](const QString& id, ControlCommand command) {
        m_workbench.watch.refreshStatus(id);
        Q_EMIT statusMessage(tr("%1 accepted the command %2.").arg(nameOf(id), RunControl::commandWord(command)));
    });
    connect(&control, &RunControl::refused, this, [this](const QString& id, const QString& message) {
        m_workbench.watch.refreshStatus(id);
        Q_EMIT statusMessage(message);
    });
    connect(&control, &RunControl::resumed, this, [this, nameOf](const QString& id, const QString& notice) {
        m_workbench.watch.refreshStatus(id);
        const QString name = nameOf(id);
        Q_EMIT statusMessage(notice.isEmpty() ? tr("%1 has been resumed.").arg(name) : tr("%1 has been resumed: %2").arg(name, notice));
    });
    connect(&control, &RunControl::trashed, this, [this, nameOf](const QString& id) {
        m_trashed << id;
        Q_EMIT statusMessage(tr("%1 was moved to the trash. Undo restores it.").arg(nameOf(id)));
        m_workbench.store.forget(id);
        refresh();
    });
    connect(&control, &RunControl::restored, this, [this](const QString&, const QString& folder) {
        m_workbench.store.catchUp(folder);
    });
    connect(&control, &RunControl::erased, this, [this](int items, qint64 bytes) {
        Q_EMIT statusMessage(formatCounted(items, tr("1 item was deleted for good, %1."), tr("%n items were deleted for good, %1."))
                                 .arg(formatBytes(bytes)));
        m_workbench.store.compact();
    });
    connect(&m_edits, &RunEdits::failed, this, &RunCommands::statusMessage);
    connect(&m_edits, &RunEdits::done, this, &RunCommands::refreshUndo);
    connect(&m_workbench.trash, &TrashWatch::changed, this, &RunCommands::refresh);
}

std::vector<RunEntry> RunCommands::entries(const QStringList& ids) const
{
    std::vector<RunEntry> entries;
    for (const QString& id : ids) {
        if (const RunEntry* const entry = m_workbench.runs.entry(id))
            entries.push_back(*entry);
    }
    return entries;
}

QStringList RunCommands::folders() const
{
    QStringList folders;
    for (const RunEntry& entry : selected())
        folders << entry.folder();
    return folders;
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

void RunCommands::refresh()
{
    ActionRegistry& actions = m_workbench.actions;
    const auto chosen = selected();
    const QString noSelection = tr("No run is selected.");
    for (const auto& [verb, id] : kVerbActions) {
        // Enabled if it applies to at least one of the selected runs; the others are skipped.
        QString reason = noSelection;
        for (const RunEntry& entry : chosen) {
            reason = refusal(verb, entry);
            if (reason.isEmpty())
                break;
        }
        actions.setEnabled(QLatin1String(id), reason.isEmpty(), reason);
    }
    for (const char* id : {"run.draw", "run.tags", "run.project", "run.note", "run.archive", "run.openFolder", "run.copyId"})
        actions.setEnabled(QLatin1String(id), !chosen.empty(), noSelection);
    actions.setEnabled(QStringLiteral("run.rename"), chosen.size() == 1,
        chosen.empty() ? noSelection : tr("Only one run can be renamed at a time."));
    actions.setEnabled(QStringLiteral("run.export"), chosen.size() == 1,
        chosen.empty() ? noSelection : tr("Only one run can be exported at a time."));
    refreshProfile();
    refreshUndo();
}

/// Whether the runs in the trash were moved there after the last edit that can be undone.
bool RunCommands::isTrashUndoneNext() const
{
    return !undoable().empty() && (m_edits.undoable().isEmpty() || (!m_trashed.isEmpty() && m_trashedSince > m_edits.undoableSince()));
}

void RunCommands::refreshUndo()
{
    ActionRegistry& actions = m_workbench.actions;
    const bool isTrash = isTrashUndoneNext();
    const QString edit = m_edits.undoable();
    actions.setEnabled(QStringLiteral("edit.undo"), isTrash || !edit.isEmpty(),
        tr("Nothing was edited, and there is no run in the trash."));
    actions.action(QStringLiteral("edit.undo"))
        ->setText(isTrash ? tr("&Undo move to trash") : edit.isEmpty() ? tr("&Undo") : tr("&Undo: %1").arg(edit));
    const QString again = m_edits.redoable();
    actions.setEnabled(QStringLiteral("edit.redo"), !again.isEmpty(), tr("Nothing was undone."));
    actions.action(QStringLiteral("edit.redo"))->setText(again.isEmpty() ? tr("&Redo") : tr("&Redo: %1").arg(again));
}

void RunCommands::send(ControlCommand command, const std::vector<RunEntry>& runs)
{
    const RunVerb verb = command == ControlCommand::Stop ? RunVerb::Stop
        : command == ControlCommand::StopNow             ? RunVerb::StopNow
        : command == ControlCommand::Kill                ? RunVerb::Kill
        : command == ControlCommand::Checkpoint          ? RunVerb::Checkpoint
                                                         : RunVerb::Sample;
    for (const RunEntry& entry : runs) {
        if (refusal(verb, entry).isEmpty())
            m_workbench.control.send(entry.folder(), command);
    }
}

void RunCommands::resume(const std::vector<RunEntry>& runs)
{
    std::vector<RunEntry> finished;
    for (const RunEntry& entry : runs) {
        if (!refusal(RunVerb::Resume, entry).isEmpty())
            continue;
        if (hasFinished(entry))
            finished.push_back(entry);
        else
            m_workbench.control.resume(entry.folder());
    }
    if (!finished.empty())
        askMoreSteps(finished);
}

void RunCommands::resumeFrom(const QString& runId, std::int64_t step)
{
    const RunEntry* const entry = m_workbench.runs.entry(runId);
    if (!entry)
        return;
    if (hasFinished(*entry) && step >= entry->totalSteps())
        askMoreSteps({*entry});
    else
        m_workbench.control.resume(entry->folder(), step);
}

void RunCommands::resumeLatest(const QString& runId)
{
    resume(entries({runId}));
}

void RunCommands::askMoreSteps(const std::vector<RunEntry>& finished)
{
    auto* dialog = new MoreStepsDialog(finished, m_window);
    connect(dialog, &MoreStepsDialog::stepsChosen, this, [this, finished](int moreSteps) {
        for (const RunEntry& entry : finished)
            m_workbench.control.resume(entry.folder(), {}, moreSteps);
    });
    dialog->open();
}

void RunCommands::askKill()
{
    QStringList ids;
    QStringList names;
    for (const RunEntry& entry : selected()) {
        if (!refusal(RunVerb::Kill, entry).isEmpty())
            continue;
        ids << entry.id();
        names << entry.name();
    }
    if (ids.isEmpty())
        return;
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Kill"),
        tr("Kill all processes of %1 immediately? Steps since the last checkpoint will be lost.").arg(nameOrCount(names)),
        QMessageBox::NoButton, m_window);
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton* const kill = box->addButton(tr("Kill"), QMessageBox::DestructiveRole);
    box->setDefaultButton(box->addButton(tr("Keep running"), QMessageBox::RejectRole));
    // The runs that the question names, whatever is selected by the time of the answer.
    connect(kill, &QPushButton::clicked, this, [this, ids, names] {
        const auto runs = entries(ids);
        if (std::ranges::none_of(runs, [](const RunEntry& run) { return refusal(RunVerb::Kill, run).isEmpty(); }))
            Q_EMIT statusMessage(tr("Nothing was killed: %1 had already ended.").arg(nameOrCount(names)));
        send(ControlCommand::Kill, runs);
    });
    box->open();
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
                m_edits.edit(tr("rename"), {folder}, [to = name.trimmed().toStdString()](contract::Annotations& run) { run.name = to; });
        });
    dialog->open();
}

void RunCommands::annotate(AnnotateDialog::Part first)
{
    const auto chosen = selected();
    if (chosen.empty())
        return;
    auto* dialog = new AnnotateDialog(chosen, m_workbench.runs.entries(), first, m_window);
    connect(dialog, &AnnotateDialog::confirmed, this,
        [this, folders = folders()](const RunEdits::Change& change) {
            m_edits.edit(tr("edit of project, tags and note"), folders, change);
        });
    dialog->open();
}

void RunCommands::exportMetrics()
{
    const auto chosen = selected();
    if (chosen.size() != 1)
        return;
    auto* dialog = new QFileDialog(m_window, tr("Export the metrics of %1").arg(plainTitle(chosen.front().name())), QString(),
        tr("Comma-separated values (*.csv);;JSON (*.json)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    dialog->selectFile(chosen.front().id() + QStringLiteral(".csv"));
    connect(dialog, &QFileDialog::filterSelected, dialog,
        [dialog](const QString& filter) {
            dialog->setDefaultSuffix(filter.contains(QLatin1String("json")) ? QStringLiteral("json") : QStringLiteral("csv"));
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
    m_edits.edit(isArchived ? tr("restore from the archive") : tr("archive"), folders(),
        [isArchived](contract::Annotations& run) { run.isArchived = !isArchived; });
}

void RunCommands::trash()
{
    m_trashed.clear();
    m_trashedSince = std::chrono::steady_clock::now();
    QStringList trashable;
    for (const RunEntry& entry : selected()) {
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
    if (isTrashUndoneNext()) {
        m_workbench.control.restore(undoable());
        m_trashed.clear();
    } else {
        m_edits.undo();
    }
    refresh();
}

void RunCommands::redo()
{
    m_edits.redo();
    refresh();
}

void RunCommands::openTrash()
{
    (new TrashDialog(m_workbench, m_window))->open();
}

}  // namespace ui
