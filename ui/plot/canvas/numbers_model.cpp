#include "ui/plot/canvas/numbers_model.h"

#include "ui/base/copied_rows.h"
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

/// Whether the table has the same columns and each line begins with the points that it had.
bool NumbersModel::hasOnlyGrown(const std::vector<DrawnLine>& lines) const
{
    if (lines.size() != m_lines.size() || columnsOf(lines) != m_columns)
        return false;
    for (std::size_t line = 0; line < lines.size(); ++line) {
        // While the pieces are the same, a line only grows at its end, even if it has been copied to be smoothed.
        const LineData& data = *lines[line].data;
        const Merged& merged = m_merged[line];
        const auto steps = data.points.steps();
        if (data.key != m_lines[line].data->key || data.pieces != merged.pieces || steps.size() < merged.points
            || (merged.points > 0 && steps[merged.points - 1] != merged.lastStep))
            return false;
    }
    return true;
}

/// The steps added since m_merged that the table does not have, ascending.
std::vector<std::int64_t> NumbersModel::newSteps(const std::vector<DrawnLine>& lines) const
{
    std::vector<std::int64_t> fresh;
    for (std::size_t line = 0; line < lines.size(); ++line) {
        for (const std::int64_t step : lines[line].data->points.steps().subspan(m_merged[line].points))
            if (!std::binary_search(m_steps.begin(), m_steps.end(), step))
                fresh.push_back(step);
    }
    std::sort(fresh.begin(), fresh.end());
    fresh.erase(std::unique(fresh.begin(), fresh.end()), fresh.end());
    return fresh;
}

/// Inserts @p steps block by block; those behind the last row, which is usually all of them, are one block.
void NumbersModel::insert(const std::vector<std::int64_t>& steps)
{
    for (auto first = steps.begin(); first != steps.end();) {
        const auto at = std::upper_bound(m_steps.begin(), m_steps.end(), *first);
        const auto last = at == m_steps.end() ? steps.end() : std::lower_bound(first, steps.end(), *at);
        const auto row = static_cast<int>(at - m_steps.begin());
        beginInsertRows({}, row, row + static_cast<int>(last - first) - 1);
        m_steps.insert(at, first, last);
        endInsertRows();
        first = last;
    }
}

void NumbersModel::rememberMerged()
{
    m_merged.clear();
    for (const DrawnLine& line : m_lines) {
        const auto steps = line.data->points.steps();
        m_merged.push_back({line.data->pieces, steps.size(), steps.empty() ? 0 : steps.back()});
    }
}

void NumbersModel::setLines(const std::vector<DrawnLine>& lines)
{
    constexpr std::size_t kMaxInserted = 1000;  // with more, one reset is faster than many blocks
    if (hasOnlyGrown(lines)) {
        const auto fresh = newSteps(lines);
        if (fresh.size() <= kMaxInserted) {
            m_lines = lines;
            rememberMerged();
            return insert(fresh);
        }
    }
    beginResetModel();
    m_lines = lines;
    m_columns = columnsOf(lines);
    m_steps = allSteps(lines);
    rememberMerged();
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
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != kCopyRole)
        return {};
    const std::int64_t step = m_steps[static_cast<std::size_t>(index.row())];
    if (index.column() == 0)
        return role == kCopyRole ? QVariant(static_cast<qlonglong>(step)) : formatCount(step);
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
    if (role == kCopyRole)
        return curve.values()[at];
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
