// The runs dock: the filter, the table, and the empty, loading and error states.
#pragma once
#include "ui/base/settings.h"
#include "ui/base/state_strip.h"
#include "ui/runs/field_reader.h"
#include "ui/runs/query_edit.h"
#include "ui/runs/run_columns.h"
#include "ui/runs/run_watch.h"
#include "ui/runs/runs_filter.h"

#include <QWidget>

class QAction;
class QMenu;
class QTreeView;

namespace ui {

class RunsView : public QWidget {
    Q_OBJECT
public:
    /// All four must outlive this.
    RunsView(RunsModel& model, RunWatch& watch, FieldReader& fields, Selection& selection, QWidget* parent = nullptr);
    ~RunsView() override;

    /// Sets the buttons shown while there are no runs, e.g. [New experiment] [Run the digits demo].
    void setEmptyActions(const QList<ViewAction>& actions);
    /// What is said while there are no runs, in place of "No runs yet."
    void setEmptySentence(const QString& sentence);
    /// Sets the menu that a right click or the menu key opens. Does not take ownership.
    void setContextMenu(QMenu* menu) { m_menu = menu; }
    /// Adds an action whose shortcut works while the table has the focus.
    void addTableAction(QAction* action);
    /// Shows an error strip above the table; nullopt hides it.
    void setError(const std::optional<ViewError>& error);
    void setArchivedShown(bool isShown);
    /// The action that shows archived runs, offered while there are no others. Does not take ownership.
    void setArchivedAction(QAction* action) { m_showArchived = action; }

    QStringList selectedRuns() const;
    /// Ids of the runs whose rows are on the screen, from the top; empty while the view is hidden.
    QStringList runsInView() const;
    /// Makes the row of @p runId the current and only selected one and scrolls to it. When it is unknown or filtered out, no row is current or
    /// selected any more.
    void select(const QString& runId);
    void focusFilter() { m_search->focusText(); }
    /// The filter as typed.
    QString filterText() const { return m_search->text(); }
    void setFilterText(const QString& text) { m_search->setText(text); }
    RunColumns& columns() { return *m_columns; }

Q_SIGNALS:
    void selectionChanged();
    void filterTextChanged();

private:
    void setupTable();
    void readQuery();
    void applyQuery();
    void compareFields();
    void updateState();
    void toggleDrawn();
    void currentChanged(const QModelIndex& current);
    /// select(), unless the row is the current one: others may be selected with it.
    void reveal(const QString& runId);
    void letGo(int first, int last);
    void takeUp();
    bool eventFilter(QObject* watched, QEvent* event) override;

    RunsModel& m_model;
    RunWatch& m_watch;
    FieldReader& m_fields;
    Selection& m_selection;
    RunsFilter* m_filter;
    QueryEdit* m_search;
    RunQuery m_query;                          ///< as typed
    bool m_isQueryWaiting = false;             ///< m_query is to be applied once its fields have been read
    QTreeView* m_table;
    RunColumns* m_columns = nullptr;
    ViewFrame* m_frame;
    QMenu* m_menu = nullptr;
    QAction* m_showArchived = nullptr;
    QList<ViewAction> m_emptyActions;
    QString m_emptySentence;
    std::optional<ViewError> m_error;
    bool m_isCancelled = false;  ///< the user has cancelled the first reading
};

}  // namespace ui
