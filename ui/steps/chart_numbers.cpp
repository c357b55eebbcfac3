#include "ui/steps/chart_numbers.h"

#include "ui/base/copied_rows.h"
#include "ui/base/format.h"
#include "ui/plot/plot_words.h"
#include "ui/steps/bin_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ui {

bool ChartNumbers::isContinuedBy(const ChartTable& table) const
{
    return table.unit == m_table.unit && table.firstBin == m_table.firstBin && table.width == m_table.width && table.axis == m_table.axis && table.bins() >= m_table.bins()
        && std::ranges::equal(table.columns, m_table.columns, {}, &ChartTable::Column::name, &ChartTable::Column::name);
}

void ChartNumbers::setTable(ChartTable table)
{
    if (!isContinuedBy(table)) {
        beginResetModel();
        m_table = std::move(table);
        endResetModel();
        return;
    }
    const auto before = static_cast<int>(m_table.bins()), now = static_cast<int>(table.bins());
    if (now > before)
        beginInsertRows({}, before, now - 1);
    m_table = std::move(table);
    if (now > before)
        endInsertRows();
    if (before > 0)
        Q_EMIT dataChanged(index(0, 0), index(before - 1, columnCount() - 1));
}

int ChartNumbers::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_table.bins()); }

int ChartNumbers::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_table.columns.size()) + 1; }

QVariant ChartNumbers::data(const QModelIndex& index, int role) const
{
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != kCopyRole)
        return {};
    const auto bin = static_cast<std::size_t>(index.row());
    if (index.column() == 0 && role == kCopyRole && m_table.width == 1 && m_table.axis == XAxis::Step)
        return static_cast<qlonglong>(m_table.firstBin + index.row());
    if (index.column() == 0)
        return binText(m_table.firstBin + index.row(), 1, m_table.width, m_table.axis);
    const double value = m_table.columns[static_cast<std::size_t>(index.column()) - 1].values[bin];
    if (!std::isfinite(value))
        return {};
    if (role == kCopyRole)
        return value;
    return role == Qt::ToolTipRole ? formatExact(value) : formatValue(value, m_table.unit);
}

QVariant ChartNumbers::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == 0 ? xAxisName(m_table.axis) : m_table.columns[static_cast<std::size_t>(section) - 1].name;
}

}  // namespace ui
