#include "ui/plot/numbers_model.h"

#include "ui/base/format.h"

#include <algorithm>
#include <iterator>

namespace ui {
namespace {

std::vector<std::int64_t> allSteps(const std::vector<DrawnLine>& lines)
{
    std::vector<std::int64_t> all;
    for (const DrawnLine& line : lines) {
        const auto steps = line.data->points.steps();
        std::vector<std::int64_t> merged;
        merged.reserve(all.size() + steps.size());
        std::set_union(all.begin(), all.end(), steps.begin(), steps.end(), std::back_inserter(merged));
        all.swap(merged);
    }
    return all;
}

}  // namespace

std::vector<NumbersModel::Column> NumbersModel::columnsOf(const std::vector<DrawnLine>& lines) const
{
    std::vector<Column> columns;
    for (std::size_t line = 0; line < lines.size(); ++line) {
        columns.push_back({line, false});
        if (!lines[line].data->smoothed.isEmpty())
            columns.push_back({line, true});
    }
    return columns;
}

bool NumbersModel::isSameTable(const std::vector<DrawnLine>& lines) const
{
    return std::equal(lines.begin(), lines.end(), m_lines.begin(), m_lines.end(),
               [](const DrawnLine& a, const DrawnLine& b) { return a.data->key == b.data->key; })
        && columnsOf(lines) == m_columns;
}

void NumbersModel::setLines(const std::vector<DrawnLine>& lines)
{
    auto steps = allSteps(lines);
    const bool isLonger = steps.size() >= m_steps.size() && std::equal(m_steps.begin(), m_steps.end(), steps.begin());
    if (isSameTable(lines) && isLonger) {
        m_lines = lines;
        if (steps.size() == m_steps.size())
            return;
        beginInsertRows({}, static_cast<int>(m_steps.size()), static_cast<int>(steps.size()) - 1);
        m_steps = std::move(steps);
        endInsertRows();
        return;
    }
    beginResetModel();
    m_lines = lines;
    m_columns = columnsOf(lines);
    m_steps = std::move(steps);
    endResetModel();
}

int NumbersModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_steps.size());
}

int NumbersModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size()) + 1;
}

QVariant NumbersModel::data(const QModelIndex& index, int role) const
{
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    const std::int64_t step = m_steps[static_cast<std::size_t>(index.row())];
    if (index.column() == 0)
        return formatCount(step);
    const Column& column = m_columns[static_cast<std::size_t>(index.column()) - 1];
    const LineData& line = *m_lines[column.line].data;
    const auto steps = line.points.steps();
    const auto found = std::lower_bound(steps.begin(), steps.end(), step);
    if (found == steps.end() || *found != step)
        return {};
    const auto at = static_cast<std::size_t>(found - steps.begin());
    const Curve& curve = column.isSmoothed ? line.smoothed : line.points.raw();
    if (at >= curve.size())
        return {};
    return role == Qt::ToolTipRole ? formatExact(curve.values()[at]) : formatNumber(curve.values()[at]);
}

QVariant NumbersModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    if (section == 0)
        return tr("Step");
    const Column& column = m_columns[static_cast<std::size_t>(section) - 1];
    const QString& name = m_lines[column.line].name;
    return column.isSmoothed ? tr("%1, smoothed").arg(name) : name;
}

}  // namespace ui
