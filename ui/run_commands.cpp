#include "ui/run_commands.h"

#include "ui/base/format.h"
#include "ui/failure_dialog.h"
#include "ui/manual/manual_page.h"
#include "ui/more_steps_dialog.h"
#include "ui/rules_dialog.h"

#include <QMessageBox>
#include <QPushButton>

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

constexpr std::initializer_list<VerbAction> kVerbActions = {{RunVerb::Start, "run.start"}, {RunVerb::Stop, "run.stop"},
    {RunVerb::StopNow, "run.stopNow"}, {RunVerb::Kill, "run.kill"}, {RunVerb::Checkpoint, "run.checkpoint"},
    {RunVerb::Sample, "run.sample"}, {RunVerb::Resume, "run.resume"}, {RunVerb::Queue, "run.queue"}, {RunVerb::Trash, "run.trash"}};

QString nameOrCount(const QStringList& names)
{
    return names.size() == 1 ? names.front() : RunCommands::tr("%1 runs").arg(names.size());
}

/// What is on another machine is written there.
RunEdits::Write writerFor(Workbench& workbench)
{
    if (launcher::Mirror* const mirror = workbench.mirror.get())
        return [mirror](const contract::RunFolder& folder, const contract::Annotations& before, const contract::Annotations& after) {
            mirror->annotate(folder.id(), before, after);
        };
    return RunEdits::writeHere;
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
    , m_edits(workbench.store, writerFor(workbench))
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
    actions.add({"run.start", tr("Start"), "start", {}, tr("Start runs that wait in the queue, or were only prepared, now"), "atelier queue start RUN"},
        [this] { start(selected()); });
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
                    QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_K), tr("Write a checkpoint after this step"), "atelier checkpoint RUN"},
        [this] { send(ControlCommand::Checkpoint, selected()); });
    actions.add({"run.sample", tr("Sa&mple"), "sample", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_M),
                    tr("Draw sample images after this step"), "atelier sample RUN"},
        [this] { send(ControlCommand::Sample, selected()); });
    actions.add({"run.resume", tr("&Resume"), "resume", {},
                    tr("Continue from the latest checkpoint; for a finished run, asks for more steps"),
                    "atelier resume RUN"},
        [this] { resume(selected()); });
    actions.add({"run.failure", tr("What went &wrong…"), {}, {}, tr("Show which rank failed first or is furthest behind, its last words and what the others do"),
                    "atelier report RUN"},
        [this] {
            for (const RunEntry& entry : selected())
                showFailure(entry.id());
        });
    actions.add({"run.rules", tr("Tr&y rules…"), {}, {}, tr("See at which steps rules would have stopped the run, or done something else"),
                    "atelier rules RUN --rules RULES"},
        [this] { tryRules(); });
}

/// What waits is started past the others in the queue.
void RunCommands::start(const std::vector<RunEntry>& runs)
{
    QStringList waiting;
    for (const RunEntry& entry : runs) {
        if (!refusal(RunVerb::Start, entry).isEmpty())
            continue;
        if (entry.status->state == launcher::RunState::Queued)
            waiting << entry.id();
        else
            m_workbench.control.resume(entry.folder());
    }
    if (!waiting.isEmpty())
        m_workbench.queue.startNow(waiting);
}

void RunCommands::tryRules()
{
    for (const RunEntry& entry : selected()) {
        const auto show = [this, id = entry.id(), name = entry.name()](const QString& rules) {
            auto* const dialog = new RulesDialog(m_workbench.store, id, name, rules, m_window);
            setManualPage(*dialog, QStringLiteral("rules"));
            dialog->show();
        };
        m_workbench.store.query(
            this,
            [id = entry.row.id, attempt = entry.row.attempts](const storage::Store& store) {
                for (const storage::ParameterRow& option : store.parameters(id, attempt)) {
                    if (option.key == "run.rules")
                        return QString::fromStdString(option.value);
                }
                return QString();
            },
            show, [show](storage::StoreError::Kind, const QString&) { show({}); });
    }
}

void RunCommands::showFailure(const QString& runId)
{
    const RunEntry* const entry = m_workbench.runs.entry(runId);
    if (!entry)
        return;
    auto* const dialog = new FailureDialog(entry->folder(), entry->name(), m_window);
    setManualPage(*dialog, QStringLiteral("inspector"));
    dialog->show();
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
        m_trashedNames.insert(id, nameOf(id));
        sayTrashed(nameOf(id));
        m_workbench.store.forget(id);
        refresh();
    });
    connect(&control, &RunControl::restoring, this, [this] { m_restored = 0; });
    connect(&control, &RunControl::restored, this, [this](const QString& id, const QString& folder) {
        ++m_restored;
        Q_EMIT statusMessage(formatCounted(m_restored, tr("%1 was restored.").arg(m_trashedNames.value(id, id)),
            tr("%Ln items were restored.", nullptr, pluralCount(m_restored))));
        // What another machine restores comes when it has been copied; unless it was restored before the copy here was deleted.
        if (!m_workbench.mirror || std::filesystem::exists(folder.toStdString()))
            m_workbench.store.catchUp(folder);
    });
    connect(&control, &RunControl::trashChangedThere, &m_workbench.trash, &TrashWatch::readAgain);
    connect(&control, &RunControl::erased, this, [this](int items, qint64 bytes) {
        Q_EMIT statusMessage(formatCounted(items, tr("1 item was deleted for good, %1."), tr("%Ln items were deleted for good, %1.", nullptr, pluralCount(items)))
                                 .arg(formatBytes(bytes)));
        m_workbench.store.compact();
    });
    connect(&m_edits, &RunEdits::failed, this, &RunCommands::statusMessage);
    connect(&m_edits, &RunEdits::done, this, &RunCommands::undoChanged);
    connect(&m_workbench.trash, &TrashWatch::changed, this, &RunCommands::refresh);
    connect(&m_workbench.runs, &RunsModel::runsChanged, this, &RunCommands::refresh);
}

/// Counts all that the last "Move to trash" has moved so far. @param name of the run that was moved last
void RunCommands::sayTrashed(const QString& name)
{
    const qsizetype count = m_trashed.size();
    if (!m_workbench.mirror)
        return Q_EMIT statusMessage(formatCounted(count, tr("%1 was moved to the trash. Undo restores it.").arg(name),
            tr("%Ln runs were moved to the trash. Undo restores them.", nullptr, pluralCount(count))));
    const QString host = QString::fromStdString(m_workbench.mirror->host().text());
    Q_EMIT statusMessage(formatCounted(count, tr("%1 was moved to the trash of %2. Undo restores it.").arg(name, host),
        tr("%Ln runs were moved to the trash of %1. Undo restores them.", nullptr, pluralCount(count)).arg(host)));
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
    for (const char* id : {"run.draw", "run.export", "run.tags", "run.project", "run.note", "run.line", "run.archive", "run.openFolder", "run.copyId"})
        actions.setEnabled(QLatin1String(id), !chosen.empty(), noSelection);
    const bool isInspected = m_workbench.runs.entry(m_workbench.selection.inspected()) != nullptr;
    actions.setEnabled(QStringLiteral("run.duplicate"), isInspected, noSelection);
    for (const char* id : {"run.pack", "run.debug"}) {
        if (!m_workbench.mirror)  // else only that machine can
            actions.setEnabled(QLatin1String(id), isInspected, noSelection);
    }
    const QString noEdit = chosen.empty() ? noSelection : chosen.size() > 1 ? tr("Only one run can be edited at a time.") : refusal(RunVerb::EditQueued, chosen.front());
    actions.setEnabled(QStringLiteral("run.editQueued"), noEdit.isEmpty(), noEdit);
    actions.setEnabled(QStringLiteral("run.rename"), chosen.size() == 1,
        chosen.empty() ? noSelection : tr("Only one run can be renamed at a time."));
    actions.setEnabled(QStringLiteral("run.rules"), chosen.size() == 1,
        chosen.empty() ? noSelection : tr("Rules can be tried on one run at a time."));
    const bool mayHaveFailed = chosen.size() == 1 && chosen.front().mayHaveFailed();
    actions.setEnabled(QStringLiteral("run.failure"), mayHaveFailed,
        chosen.empty() ? noSelection : chosen.size() > 1 ? tr("Only one run can be examined at a time.") : tr("This run has not failed or stalled."));
    refreshProfile();
    refreshRemote();
    Q_EMIT undoChanged();
}

/// Of a window on another machine: commands need a connection, and some are about what only that machine has.
void RunCommands::refreshRemote()
{
    if (!m_workbench.mirror)
        return;
    ActionRegistry& actions = m_workbench.actions;
    const QString host = QString::fromStdString(m_workbench.mirror->host().text());
    actions.setEnabled(QStringLiteral("run.openProfile"), false, tr("This is only possible on %1, by `atelier --host %1` and a command.").arg(host));
    if (m_workbench.mirror->link().phase == launcher::RemoteLink::Phase::Connected)
        return;
    for (const char* id : {"run.start", "run.stop", "run.stopNow", "run.kill", "run.checkpoint", "run.sample", "run.resume", "run.queue", "run.editQueued", "run.trash", "run.rename", "run.tags",
             "run.project", "run.note", "run.line", "run.archive"})
        actions.setEnabled(QLatin1String(id), false, tr("There is no connection to %1.").arg(host));
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
    setManualPage(*dialog, QStringLiteral("runs"));
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

}  // namespace ui
