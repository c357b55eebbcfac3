#include "ui/checkpoint/checkpoints_bar.h"

#include "ui/base/flow_layout.h"

#include <QToolButton>

#include <algorithm>

namespace ui {

CheckpointsBar::CheckpointsBar(ActionRegistry& actions, QWidget& view, QWidget* parent)
    : QWidget(parent)
    , m_actions(actions)
    , m_view(view)
{
    const QString place = QStringLiteral("checkpoints");
    m_actions.addPlace({place, tr("Checkpoints"), {}}, &view);
    auto* row = new FlowLayout(this);
    row->setContentsMargins(8, 4, 8, 4);
    addButton({"checkpoints.resume", tr("Resume from here"), {}, {}, tr("Start a new attempt of this run from this checkpoint"), "atelier resume RUN --from STEP", place},
        &CheckpointsBar::resumeRequested);
    addButton({"checkpoints.verify", tr("Verify"), {}, {}, tr("Check the manifest and the files' sizes and checksums"), "atelier checkpoints verify RUN --step STEP", place},
        &CheckpointsBar::verifyRequested);
    addButton({"checkpoints.pin", tr("Pin"), {}, {}, tr("A pinned checkpoint is never rotated or deleted"), "atelier checkpoints pin RUN --step STEP", place},
        &CheckpointsBar::pinRequested);
    addButton({"checkpoints.open", tr("Open folder"), {}, {}, tr("Show the checkpoint's files"), {}, place}, &CheckpointsBar::openRequested);
    addButton({"checkpoints.compare", tr("Compare…"), {}, {}, tr("Show how the weights of two selected checkpoints differ"), "atelier checkpoints diff RUN --from STEP --to STEP", place},
        &CheckpointsBar::compareRequested);
    addButton({"checkpoints.export", tr("Export…"), {}, {}, tr("Write the weights or the LoRA for diffusers, PEFT, ComfyUI and others"), "atelier checkpoints export RUN --step STEP --to DIR", place},
        &CheckpointsBar::exportRequested);
    addButton({"checkpoints.delete", tr("Delete"), {}, QKeySequence(QKeySequence::Delete), tr("Move to the trash; this can be undone"),
                  "atelier checkpoints remove RUN --step STEP", place},
        &CheckpointsBar::deleteRequested, Qt::WidgetShortcut);
    m_undo = addButton({"checkpoints.undo", tr("Undo"), {}, {}, tr("Restore the deleted checkpoints"), {}, place}, &CheckpointsBar::undoRequested);
    m_cancel = addButton({"checkpoints.cancel", tr("Cancel"), {}, {}, tr("Stop verifying"), {}, place}, &CheckpointsBar::cancelRequested);
    setCanUndo(false);
    setCanCancel(false);
}

QToolButton* CheckpointsBar::addButton(const ActionSpec& spec, void (CheckpointsBar::*requested)(), Qt::ShortcutContext context)
{
    auto* button = new QToolButton(this);
    button->setDefaultAction(m_actions.addTo(m_view, spec, [this, requested] { Q_EMIT (this->*requested)(); }, context));
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    layout()->addWidget(button);
    return button;
}

void CheckpointsBar::setPossible(const char* id, std::initializer_list<QString> reasons)
{
    const auto reason = std::ranges::find_if(reasons, [](const QString& each) { return !each.isEmpty(); });
    const bool isPossible = reason == reasons.end();
    m_actions.setEnabled(QLatin1String(id), isPossible, isPossible ? QString() : *reason);
}

void CheckpointsBar::setChoice(const Choice& choice)
{
    const QString notOne = choice.selected == 1 ? QString() : tr("Select one checkpoint.");
    const QString notTwo = choice.selected == 2 ? QString() : tr("Select two checkpoints.");
    const QString none = choice.selected > 0 ? QString() : tr("Select a checkpoint.");
    setPossible("checkpoints.resume", {choice.noResume, notOne, choice.noReading});
    setPossible("checkpoints.open", {choice.noFiles, notOne});
    setPossible("checkpoints.export", {choice.noAction, notOne, choice.noReading});
    setPossible("checkpoints.compare", {choice.noAction, notTwo, choice.noReading});
    for (const char* const id : {"checkpoints.verify", "checkpoints.pin", "checkpoints.delete"})
        setPossible(id, {choice.noAction, none});
    m_actions.action(QStringLiteral("checkpoints.pin"))->setText(choice.areAllPinned ? tr("Unpin") : tr("Pin"));
}

void CheckpointsBar::setCanUndo(bool canUndo)
{
    m_actions.setEnabled(QStringLiteral("checkpoints.undo"), canUndo, tr("None of this run's checkpoints is in the trash."));
    m_undo->setVisible(canUndo);
}

void CheckpointsBar::setCanCancel(bool canCancel)
{
    m_actions.setEnabled(QStringLiteral("checkpoints.cancel"), canCancel, tr("No checkpoint is being verified."));
    m_cancel->setVisible(canCancel);
}

QAction* CheckpointsBar::deletion() const { return m_actions.action(QStringLiteral("checkpoints.delete")); }

}  // namespace ui
