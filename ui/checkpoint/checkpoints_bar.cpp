#include "ui/checkpoint/checkpoints_bar.h"

#include "ui/base/flow_layout.h"

#include <QToolButton>

#include <algorithm>

namespace ui {

CheckpointsBar::CheckpointsBar(QWidget* parent)
    : QWidget(parent)
{
    auto* row = new FlowLayout(this);
    row->setContentsMargins(8, 4, 8, 4);
    m_resume = addButton(tr("Resume from here"), tr("Start a new attempt of this run from this checkpoint"), &CheckpointsBar::resumeRequested);
    m_verify = addButton(tr("Verify"), tr("Check the manifest and the files' sizes and checksums"), &CheckpointsBar::verifyRequested);
    m_pin = addButton(tr("Pin"), tr("A pinned checkpoint is never rotated or deleted"), &CheckpointsBar::pinRequested);
    m_open = addButton(tr("Open folder"), tr("Show the checkpoint's files"), &CheckpointsBar::openRequested);
    m_compare = addButton(tr("Compare…"), tr("Show how the weights of two selected checkpoints differ"), &CheckpointsBar::compareRequested);
    m_export = addButton(tr("Export…"), tr("Write the weights or the LoRA for diffusers, PEFT, ComfyUI and others"), &CheckpointsBar::exportRequested);
    m_delete = addButton(tr("Delete…"), tr("Move to the trash (Del)"), &CheckpointsBar::deleteRequested);
    m_undo = addButton(tr("Undo"), tr("Restore the deleted checkpoints"), &CheckpointsBar::undoRequested);
    m_undo->hide();
    m_cancel = addButton(tr("Cancel"), tr("Stop verifying"), &CheckpointsBar::cancelRequested);
    m_cancel->hide();
}

QToolButton* CheckpointsBar::addButton(const QString& text, const QString& help, void (CheckpointsBar::*requested)())
{
    auto* button = new QToolButton(this);
    button->setText(text);
    button->setToolTip(help);
    button->setWhatsThis(help);
    button->setAccessibleName(text);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    layout()->addWidget(button);
    connect(button, &QToolButton::clicked, this, requested);
    return button;
}

void CheckpointsBar::setPossible(QToolButton* button, std::initializer_list<QString> reasons)
{
    const auto reason = std::ranges::find_if(reasons, [](const QString& each) { return !each.isEmpty(); });
    const bool isPossible = reason == reasons.end();
    button->setEnabled(isPossible);
    button->setToolTip(isPossible ? button->whatsThis() : button->whatsThis() + QLatin1Char('\n') + *reason);
}

void CheckpointsBar::setChoice(const Choice& choice)
{
    const QString notOne = choice.selected == 1 ? QString() : tr("Select one checkpoint.");
    const QString notTwo = choice.selected == 2 ? QString() : tr("Select two checkpoints.");
    const QString none = choice.selected > 0 ? QString() : tr("Select a checkpoint.");
    setPossible(m_resume, {choice.noResume, notOne});
    setPossible(m_open, {choice.noFiles, notOne});
    setPossible(m_export, {choice.noAction, notOne});
    setPossible(m_compare, {choice.noAction, notTwo});
    for (QToolButton* const button : {m_verify, m_pin, m_delete})
        setPossible(button, {choice.noAction, none});
    m_pin->setText(choice.areAllPinned ? tr("Unpin") : tr("Pin"));
}

void CheckpointsBar::setCanUndo(bool canUndo) { m_undo->setVisible(canUndo); }

void CheckpointsBar::setCanCancel(bool canCancel) { m_cancel->setVisible(canCancel); }

bool CheckpointsBar::canDelete() const { return m_delete->isEnabled(); }

}  // namespace ui
