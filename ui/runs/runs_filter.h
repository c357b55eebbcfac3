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

protected:
    bool filterAcceptsRow(int sourceRow, const QModelIndex& sourceParent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    RunsModel& m_model;
    RunQuery m_query;
    bool m_isArchivedShown = false;
};

}  // namespace ui
