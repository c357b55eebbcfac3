#include "ui/run_commands.h"

#include "engine/contract/journal.h"
#include "ui/more_steps_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
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

QString quoted(const QStringList& names)
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
    connectAnswers();
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
                    tr("Finish the step, write a checkpoint and leave"), "atelier stop RUN"},
        [this] { send(ControlCommand::Stop); });
    actions.add({"run.stopNow", tr("Stop &now"), "stop-now", {}, tr("Leave within seconds"), "atelier stop --now RUN"},
        [this] { send(ControlCommand::StopNow); });
    actions.add({"run.kill", tr("&Kill…"), "kill", {}, tr("End all processes at once, without a checkpoint"),
                    "atelier stop --kill RUN"},
        [this] { askKill(); });
    actions.add({"run.checkpoint", tr("&Checkpoint"), "checkpoint",
                    QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_K), tr("Write a checkpoint after this step"), {}},
        [this] { send(ControlCommand::Checkpoint); });
    actions.add({"run.sample", tr("Sa&mple"), "sample", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_M),
                    tr("Draw sample pictures after this step"), {}},
        [this] { send(ControlCommand::Sample); });
    actions.add({"run.resume", tr("&Resume"), "resume", {}, tr("Go on from the latest checkpoint; a finished run with more steps"), "atelier resume RUN"},
        [this] { resume(); });
}

void RunCommands::registerEditing()
{
    ActionRegistry& actions = m_workbench.actions;
    actions.add({"run.draw", tr("&Draw or hide"), "eye", {}, tr("Draw the runs in the plots, or take them out"), {}},
        [this] {
            const QStringList ids = m_selected();
            const bool isDrawn = !ids.isEmpty() && m_workbench.selection.isDrawn(ids.front());
            for (const QString& id : ids)
                m_workbench.selection.setDrawn(id, !isDrawn);
        });
    actions.add({"run.rename", tr("Re&name…"), "rename", QKeySequence(Qt::Key_F2), tr("Give the run another name"), {}},
        [this] { rename(); });
    actions.add({"run.archive", tr("&Archive or bring back"), "archive", {},
                    tr("Take the runs out of the table, or show them in it again"), {}},
        [this] { archive(); });
    actions.add({"run.openFolder", tr("Open &folder"), "folder", {}, tr("Open the run's folder"), {}}, [this] {
        for (const QString& folder : folders())
            QDesktopServices::openUrl(QUrl::fromLocalFile(folder));
    });
    actions.add({"run.openProfile", tr("Open &profile folder"), "folder", {},
                    tr("Open the folder with the traces that run.profile_steps asked for"), {}},
        [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(profileFolder())); });
    actions.add({"run.copyId", tr("Copy &id"), "copy", {}, tr("Copy the runs' ids"), {}},
        [this] { QApplication::clipboard()->setText(m_selected().join(QLatin1Char('\n'))); });
    actions.add({"run.trash", tr("Move to &trash"), "trash", QKeySequence(QKeySequence::Delete),
                    tr("Move the runs' folders to the trash; this can be undone"), "atelier rm RUN"},
        [this] { trash(); });
    actions.add({"edit.undo", tr("&Undo move to trash"), "revert", QKeySequence(QKeySequence::Undo),
                    tr("Bring the runs back that were moved to the trash last"), {}},
        [this] { undoTrash(); });
}

void RunCommands::connectAnswers()
{
    RunControl& control = m_workbench.control;
    const auto nameOf = [this](const QString& id) {
        const RunEntry* const entry = m_workbench.runs.entry(id);
        return entry ? entry->name() : id;
    };
    connect(&control, &RunControl::acknowledged, this, [this, nameOf](const QString& id, ControlCommand command) {
        m_workbench.watch.look(id);
        Q_EMIT said(tr("%1: accepted by %2.").arg(RunControl::commandWord(command), nameOf(id)));
    });
    connect(&control, &RunControl::refused, this, [this](const QString& id, const QString& message) {
        m_workbench.watch.look(id);
        Q_EMIT said(message);
    });
    connect(&control, &RunControl::resumed, this, [this, nameOf](const QString& id) {
        m_workbench.watch.look(id);
        Q_EMIT said(tr("%1 goes on from its latest checkpoint.").arg(nameOf(id)));
    });
    connect(&control, &RunControl::trashed, this, [this, nameOf](const QString& id) {
        m_trashed << id;
        Q_EMIT said(tr("%1 is in the trash. Undo brings it back.").arg(nameOf(id)));
        m_workbench.selection.forget(id);
        m_workbench.store.forget(id);
        refresh();
    });
    connect(&control, &RunControl::restored, this, [this](const QString&, const QString& folder) {
        m_workbench.store.catchUp(folder);
    });
    connect(&m_edits, &RunEdits::failed, this, &RunCommands::said);
}

std::vector<RunEntry> RunCommands::entries() const
{
    std::vector<RunEntry> entries;
    for (const QString& id : m_selected()) {
        if (const RunEntry* const entry = m_workbench.runs.entry(id))
            entries.push_back(*entry);
    }
    return entries;
}

QStringList RunCommands::folders() const
{
    QStringList folders;
    for (const RunEntry& entry : entries())
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
        tr("This run has no profile. The option run.profile_steps, as in 10..15, makes one."));
}

void RunCommands::refresh()
{
    ActionRegistry& actions = m_workbench.actions;
    const auto chosen = entries();
    const QString none = tr("No run is selected.");
    for (const auto& [verb, id] : kVerbActions) {
        // Offered when at least one of the selected runs can take it; the others are passed over.
        QString reason = none;
        for (const RunEntry& entry : chosen) {
            reason = refusal(verb, entry);
            if (reason.isEmpty())
                break;
        }
        actions.setEnabled(QLatin1String(id), reason.isEmpty(), reason);
    }
    for (const char* id : {"run.draw", "run.archive", "run.openFolder", "run.copyId"})
        actions.setEnabled(QLatin1String(id), !chosen.empty(), none);
    actions.setEnabled(QStringLiteral("run.rename"), chosen.size() == 1,
        chosen.empty() ? none : tr("Only one run can be renamed at a time."));
    refreshProfile();
    actions.setEnabled(QStringLiteral("edit.undo"), !m_trashed.isEmpty(), tr("Nothing was moved to the trash."));
}

void RunCommands::send(ControlCommand command)
{
    const RunVerb verb = command == ControlCommand::Stop ? RunVerb::Stop
        : command == ControlCommand::StopNow             ? RunVerb::StopNow
        : command == ControlCommand::Kill                ? RunVerb::Kill
        : command == ControlCommand::Checkpoint          ? RunVerb::Checkpoint
                                                         : RunVerb::Sample;
    for (const RunEntry& entry : entries()) {
        if (refusal(verb, entry).isEmpty())
            m_workbench.control.send(entry.folder(), command);
    }
}

void RunCommands::resume()
{
    std::vector<RunEntry> finished;
    for (const RunEntry& entry : entries()) {
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

void RunCommands::askMoreSteps(const std::vector<RunEntry>& finished)
{
    auto* dialog = new MoreStepsDialog(finished, m_window);
    connect(dialog, &MoreStepsDialog::intValueSelected, this, [this, finished](int moreSteps) {
        for (const RunEntry& entry : finished)
            m_workbench.control.resume(entry.folder(), {}, moreSteps);
    });
    dialog->open();
}

void RunCommands::askKill()
{
    QStringList names;
    for (const RunEntry& entry : entries())
        names << entry.name();
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Kill"),
        tr("End all processes of %1 at once? Steps since the last checkpoint will be lost.").arg(quoted(names)),
        QMessageBox::NoButton, m_window);
    box->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton* const kill = box->addButton(tr("Kill"), QMessageBox::DestructiveRole);
    box->setDefaultButton(box->addButton(tr("Keep running"), QMessageBox::RejectRole));
    connect(kill, &QPushButton::clicked, this, [this] { send(ControlCommand::Kill); });
    box->open();
}

void RunCommands::rename()
{
    const auto chosen = entries();
    if (chosen.size() != 1)
        return;
    auto* dialog = new QInputDialog(m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Rename"));
    dialog->setLabelText(tr("Name of the run:"));
    dialog->setTextValue(chosen.front().name());
    connect(dialog, &QInputDialog::textValueSelected, this, [this, folder = chosen.front().folder()](const QString& name) {
        if (!name.trimmed().isEmpty())
            m_edits.rename(folder, name.trimmed());
    });
    dialog->open();
}

void RunCommands::archive()
{
    const auto chosen = entries();
    if (chosen.empty())
        return;
    const bool isArchived = chosen.front().row.isArchived;
    for (const RunEntry& entry : chosen)
        m_edits.setArchived(entry.folder(), !isArchived);
}

void RunCommands::trash()
{
    m_trashed.clear();
    QStringList offered;
    for (const RunEntry& entry : entries()) {
        if (refusal(RunVerb::Trash, entry).isEmpty())
            offered << entry.folder();
    }
    m_workbench.control.trash(offered);
}

void RunCommands::undoTrash()
{
    m_workbench.control.restore(std::exchange(m_trashed, {}));
    refresh();
}

}  // namespace ui
