#include "ui/runs/runs_filter.h"

namespace ui {

RunsFilter::RunsFilter(RunsModel& model, QObject* parent)
    : QSortFilterProxyModel(parent)
    , m_model(model)
{
    setDynamicSortFilter(true);
    setSourceModel(&model);
}

void RunsFilter::setQuery(const RunQuery& query)
{
    m_query = query;
    invalidateFilter();
}

void RunsFilter::setArchivedShown(bool isShown)
{
    m_isArchivedShown = isShown;
    invalidateFilter();
}

void RunsFilter::sort(int column, Qt::SortOrder order)
{
    if (column >= 0)
        m_places = m_model.placesBy(column);
    QSortFilterProxyModel::sort(column, order);
    m_places.clear();
}

bool RunsFilter::filterAcceptsRow(int sourceRow, const QModelIndex&) const
{
    const RunEntry& entry = m_model.entries()[static_cast<std::size_t>(sourceRow)];
    return (m_isArchivedShown || !entry.row.isArchived) && m_query.matches(entry, m_model.fields());
}

bool RunsFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const
{
    if (m_places.empty())
        return m_model.isBefore(left.row(), right.row(), left.column());
    return m_places[static_cast<std::size_t>(left.row())] < m_places[static_cast<std::size_t>(right.row())];
}

}  // namespace ui
