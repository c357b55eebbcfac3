#include "ui/runs/runs_filter.h"

#include "ui/runs/runs_model.h"

#include <algorithm>

namespace ui {

RunsFilter::RunsFilter(QObject* parent)
    : QSortFilterProxyModel(parent)
{
    setSortRole(RunsModel::SortRole);
    setFilterRole(RunsModel::FilterRole);
    setSortCaseSensitivity(Qt::CaseInsensitive);
    setDynamicSortFilter(true);
}

void RunsFilter::setWords(const QString& text)
{
    m_words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
}

void RunsFilter::setArchivedShown(bool isShown)
{
    m_isArchivedShown = isShown;
    invalidateFilter();
}

bool RunsFilter::filterAcceptsRow(int sourceRow, const QModelIndex& sourceParent) const
{
    const QModelIndex index = sourceModel()->index(sourceRow, RunsModel::Name, sourceParent);
    if (!m_isArchivedShown && index.data(RunsModel::ArchivedRole).toBool())
        return false;
    if (m_words.isEmpty())
        return true;
    const QString text = index.data(RunsModel::FilterRole).toString();
    return std::ranges::all_of(
        m_words, [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

}  // namespace ui
