#include "ui/undo_actions.h"

#include "ui/base/action_registry.h"
#include "ui/checkpoint/checkpoints_view.h"
#include "ui/run_commands.h"
#include "ui/view_keeper.h"

#include <QApplication>
#include <QMenu>
#include <QMenuBar>
#include <QToolBar>

#include <algorithm>

namespace ui {

UndoActions::UndoActions(ActionRegistry& actions, RunCommands& edits, ViewKeeper& view, CheckpointsView& checkpoints, QWidget& runsPane,
    const QList<QWidget*>& viewPanes, QObject* parent)
    : QObject(parent)
    , m_actions(actions)
    , m_edits(edits)
    , m_view(view)
    , m_checkpoints(checkpoints)
    , m_runsPane(runsPane)
    , m_viewPanes(viewPanes)
{
    m_actions.add({"edit.undo", tr("&Undo"), "revert", QKeySequence(QKeySequence::Undo),
                      tr("Undo the last edit of runs, restore the runs or, in the tab Checkpoints, the checkpoints that were last moved to the"
                         " trash, or take back the last change of the view"),
                      "atelier trash restore RUN"},
        [this] { undo(); });
    m_actions.add({"edit.redo", tr("&Redo"), {}, QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), tr("Do again what was undone last"), {}},
        [this] { redo(); });
    connect(&m_edits, &RunCommands::undoChanged, this, &UndoActions::refresh);
    connect(&m_view, &ViewKeeper::changed, this, &UndoActions::refresh);
    connect(&m_checkpoints, &CheckpointsView::canUndoDeleteChanged, this, &UndoActions::refresh);
    connect(qApp, &QApplication::focusChanged, this, [this](const QWidget*, const QWidget* widget) { takeFocus(widget); });
    takeFocus(QApplication::focusWidget());
    refresh();
}

void UndoActions::takeFocus(const QWidget* widget)
{
    const bool isPassing = !widget || qobject_cast<const QMenu*>(widget) || qobject_cast<const QMenuBar*>(widget)
        || qobject_cast<const QToolBar*>(widget->parentWidget());
    if (isPassing)
        return;
    const auto holds = [widget](const QWidget* pane) { return pane == widget || pane->isAncestorOf(widget); };
    m_pane = holds(&m_runsPane)                    ? Pane::Runs
        : holds(&m_checkpoints)                    ? Pane::Checkpoints
        : std::ranges::any_of(m_viewPanes, holds) ? Pane::View
                                                  : Pane::Other;
    refresh();
}

bool UndoActions::isViewUndoneNext() const
{
    if (m_pane == Pane::View || (m_pane != Pane::Runs && !m_view.history().isOpeningUndoable()))
        return m_pane == Pane::View;
    const auto edit = m_edits.undoableEdit();
    return edit.text.isEmpty() || (!m_view.history().undoable().isEmpty() && m_view.history().undoableSince() > edit.since);
}

bool UndoActions::isViewRedoneNext() const
{
    if (m_pane == Pane::View || (m_pane != Pane::Runs && !m_view.history().isOpeningRedoable()))
        return m_pane == Pane::View;
    return m_edits.redoableEdit().isEmpty() || (m_isViewUndoneLast && !m_view.history().redoable().isEmpty());
}

bool UndoActions::areCheckpointsUndoneNext() const { return m_pane == Pane::Checkpoints && m_checkpoints.canUndoDelete(); }

void UndoActions::undo()
{
    if (areCheckpointsUndoneNext())
        return m_checkpoints.undoDelete();
    m_isViewUndoneLast = isViewUndoneNext();
    m_isViewUndoneLast ? m_view.undo() : m_edits.undo();
    refresh();
}

void UndoActions::redo()
{
    isViewRedoneNext() ? m_view.redo() : m_edits.redo();
    refresh();
}

void UndoActions::refresh()
{
    const auto named = [](const QString& plain, const QString& withName, const QString& name) {
        return name.isEmpty() ? plain : withName.arg(name);
    };
    const QString undoText = areCheckpointsUndoneNext() ? tr("&Undo deletion of checkpoints")
        : isViewUndoneNext()                              ? named(tr("&Undo"), tr("&Undo: %1"), m_view.history().undoable())
        : m_edits.undoableEdit().text.isEmpty()  ? tr("&Undo")
                                                 : m_edits.undoableEdit().text;
    const bool canUndo = areCheckpointsUndoneNext()
        || (isViewUndoneNext() ? !m_view.history().undoable().isEmpty() : !m_edits.undoableEdit().text.isEmpty());
    m_actions.setEnabled(QStringLiteral("edit.undo"), canUndo,
        m_pane == Pane::View ? tr("Nothing was changed in the view.") : tr("Nothing was edited, and there is no run in the trash."));
    m_actions.action(QStringLiteral("edit.undo"))->setText(undoText);
    const QString again = isViewRedoneNext() ? m_view.history().redoable() : m_edits.redoableEdit();
    m_actions.setEnabled(QStringLiteral("edit.redo"), !again.isEmpty(), tr("Nothing was undone."));
    m_actions.action(QStringLiteral("edit.redo"))->setText(named(tr("&Redo"), tr("&Redo: %1"), again));
}

}  // namespace ui
