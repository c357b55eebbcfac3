// The actions Undo and Redo: in the plots they are about the view, in the runs about what the user did last there, be it an edit of runs
// or a change of the view, and elsewhere about edits of runs.
#pragma once
#include <QList>
#include <QObject>
#include <QWidget>

namespace ui {

class ActionRegistry;
class RunCommands;
class ViewKeeper;

class UndoActions : public QObject {
    Q_OBJECT
public:
    /// @param viewPanes where only the view is undone. All must outlive this.
    UndoActions(ActionRegistry& actions, RunCommands& edits, ViewKeeper& view, QWidget& runsPane, const QList<QWidget*>& viewPanes,
        QObject* parent = nullptr);

private:
    enum class Pane { Other, Runs, View };
    void takeFocus(const QWidget* widget);
    bool isViewUndoneNext() const;
    bool isViewRedoneNext() const;
    void undo();
    void redo();
    void refresh();

    ActionRegistry& m_actions;
    RunCommands& m_edits;
    ViewKeeper& m_view;
    QWidget& m_runsPane;
    QList<QWidget*> m_viewPanes;
    Pane m_pane = Pane::Other;        ///< which had the focus last; menus and toolbars do not count
    bool m_isViewUndoneLast = false;  ///< the last undo was one of the view
};

}  // namespace ui
