// The actions on checkpoints, with a bar of buttons: what they do, and why one cannot be done.
#pragma once
#include "ui/base/action_registry.h"

#include <QString>
#include <QWidget>

#include <initializer_list>

class QToolButton;

namespace ui {

class CheckpointsBar : public QWidget {
    Q_OBJECT
public:
    /// What is selected. The texts are sentences that say why something is not possible; empty: it is.
    struct Choice {
        int selected = 0;
        bool areAllPinned = false;
        QString noResume;  ///< why the run cannot be resumed
        QString noFiles;   ///< why the files cannot be opened here
        QString noAction;  ///< why nothing can be done about the checkpoints where they are
        QString noReading = {};  ///< why their weights cannot be read
    };

    /// Registers the actions, "checkpoints.resume" …, in @p actions, which must outlive this. @param view where their keys work
    CheckpointsBar(ActionRegistry& actions, QWidget& view, QWidget* parent = nullptr);

    void setChoice(const Choice& choice);
    void setCanUndo(bool canUndo);
    void setCanCancel(bool canCancel);
    /// Its key means checkpoints only in their table, to which it is to be added.
    QAction* deletion() const;

Q_SIGNALS:
    void resumeRequested();
    void verifyRequested();
    void pinRequested();
    void openRequested();
    void compareRequested();
    void exportRequested();
    void deleteRequested();
    void undoRequested();
    void cancelRequested();

private:
    QToolButton* addButton(const ActionSpec& spec, void (CheckpointsBar::*requested)(), Qt::ShortcutContext context = Qt::WidgetWithChildrenShortcut);
    /// @param reasons the first that is not empty says why not
    void setPossible(const char* id, std::initializer_list<QString> reasons);

    ActionRegistry& m_actions;
    QWidget& m_view;
    QToolButton* m_undo;
    QToolButton* m_cancel;
};

}  // namespace ui
