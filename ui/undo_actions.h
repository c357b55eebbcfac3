// The actions Undo and Redo: in the plots, the metrics and the comparison they are about the view, in the runs about what the user did last
// there, be it an edit of runs or a change of the view, in the checkpoints about those that were deleted, if any were, and elsewhere about
// edits of runs and the opening of views.
#pragma once
#include <QList>
#include <QObject>
#include <QWidget>

namespace ui {

class ActionRegistry;
class CheckpointsView;
class RunCommands;
class ViewKeeper;

class UndoActions : public QObject {
    Q_OBJECT
public:
    /// @param viewPanes where only the view is undone. All must outlive this.
    UndoActions(ActionRegistry& actions, RunCommands& edits, ViewKeeper& view, CheckpointsView& checkpoints, QWidget& runsPane,
        const QList<QWidget*>& viewPanes, QObject* parent = nullptr);

private:
    enum class Pane { Other, Runs, View, Checkpoints };
    void takeFocus(const QWidget* widget);
    bool isViewUndoneNext() const;
    bool areCheckpointsUndoneNext() const;
    bool isViewRedoneNext() const;
    void undo();
    void redo();
    void refresh();

    ActionRegistry& m_actions;
    RunCommands& m_edits;
    ViewKeeper& m_view;
    CheckpointsView& m_checkpoints;
    QWidget& m_runsPane;
    QList<QWidget*> m_viewPanes;
    Pane m_pane = Pane::Other;        ///< which had the focus last; menus and toolbars do not count
    bool m_isViewUndoneLast = false;  ///< the last undo was one of the view
};

}  // namespace ui
