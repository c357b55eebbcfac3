// Sorts and filters the runs table.
#pragma once
#include "ui/runs/run_query.h"
#include "ui/runs/runs_model.h"

#include <QSortFilterProxyModel>

namespace ui {

class RunsFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    /// @p model must outlive this.
    explicit RunsFilter(RunsModel& model, QObject* parent = nullptr);

    /// Shows the runs that match. The model must have the query's fields().
    void setQuery(const RunQuery& query);
    const RunQuery& query() const { return m_query; }
    void setArchivedShown(bool isShown);
    /// Whether a row of the model is to be shown.
    bool accepts(int sourceRow) const { return filterAcceptsRow(sourceRow, {}); }
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

protected:
    bool filterAcceptsRow(int sourceRow, const QModelIndex& sourceParent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    RunsModel& m_model;
    RunQuery m_query;
    bool m_isArchivedShown = false;
    std::vector<int> m_places;  ///< of the model's rows by the column of sort(), while that runs
};

}  // namespace ui
