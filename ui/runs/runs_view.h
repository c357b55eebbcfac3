// The runs dock: filter, table, states.
#pragma once
#include "ui/base/settings.h"
#include "ui/base/state_strip.h"
#include "ui/runs/run_watch.h"
#include "ui/runs/runs_filter.h"

#include <QWidget>

class QLineEdit;
class QMenu;
class QTreeView;

namespace ui {

class RunsView : public QWidget {
    Q_OBJECT
public:
    RunsView(RunsModel& model, RunWatch& watch, Selection& selection, QWidget* parent = nullptr);

    /// Buttons of the empty page: [New experiment] [Run the digits demo].
    void setEmptyActions(const QList<ViewAction>& actions);
    /// Shown by a right click and by the menu key.
    void setContextMenu(QMenu* menu) { m_menu = menu; }
    /// A strip above the table; nullopt takes it away.
    void setError(const std::optional<ViewError>& error);
    void setArchivedShown(bool isShown);

    QStringList selectedRuns() const;
    /// Makes @p runId the current row.
    void reveal(const QString& runId);
    void focusFilter();

    QByteArray headerState() const;
    void restoreHeader(const QByteArray& state);

Q_SIGNALS:
    void selectionChanged();

private:
    void setupTable();
    void updateState();
    void toggleDrawn();
    void currentChanged(const QModelIndex& current);
    bool eventFilter(QObject* watched, QEvent* event) override;

    RunsModel& m_model;
    RunWatch& m_watch;
    Selection& m_selection;
    RunsFilter* m_filter;
    QLineEdit* m_search;
    QTreeView* m_table;
    ViewFrame* m_frame;
    QMenu* m_menu = nullptr;
    QList<ViewAction> m_emptyActions;
    std::optional<ViewError> m_error;
    bool m_isFiltering = false;
};

}  // namespace ui
