// Keeps the view, as the user arranges it: from one session to the next, for undo and redo, and as views saved by name.
#pragma once
#include "ui/views/view_history.h"
#include "ui/workbench.h"

#include <QObject>

class QMainWindow;
class QTabWidget;

namespace ui {

class PlotsView;
class RunsView;
class ShownRuns;

class ViewKeeper : public QObject {
    Q_OBJECT
public:
    /// Restores what the last session left in the settings. All must outlive this.
    /// @param window whose docks are saved @param tabs of which one is open; the pages of the manual are their names
    ViewKeeper(Workbench& workbench, ShownRuns& shown, RunsView& runs, PlotsView& plots, QMainWindow& window, QTabWidget& tabs);

    /// Without the docks, which change with every width.
    const SavedView& view() const { return m_history.view(); }
    const ViewHistory& history() const { return m_history; }
    /// No-ops when there is nothing to undo or to redo.
    void undo();
    void redo();

    // What is read or written is a file; each emits statusMessage() when it is done or has failed.
    void saveAs(const QString& name);
    void open(const QString& name);
    void rename(const QString& from, const QString& to);
    void remove(const QString& name);

Q_SIGNALS:
    /// The view, or what can be undone or redone, has changed.
    void changed();
    void docksRestored();
    void statusMessage(const QString& sentence);

private:
    void restore();
    void connectParts();
    SavedView now() const;
    SavedView nowWithDocks() const;
    void showPlace(const SavedView::Place& place);
    void take(int gesture = 0);
    /// @return how many of the view's runs there are not
    qsizetype show(const SavedView& view);
    void openRead(const QString& name, const SavedView& view);

    Workbench& m_workbench;
    ShownRuns& m_shown;
    RunsView& m_runs;
    PlotsView& m_plots;
    QMainWindow& m_window;
    QTabWidget& m_tabs;
    bool m_isShowing = false;  ///< show() is at work
    ViewHistory m_history;
};

}  // namespace ui
