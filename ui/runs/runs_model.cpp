#include "ui/runs/runs_model.h"

#include <QSet>

#include <tuple>

namespace ui {
namespace {

/// What the table shows of a row: anything else may change without a repaint.
auto shown(const storage::RunRow& row)
{
    return std::tie(row.name, row.project, row.tags, row.notes, row.isArchived, row.attempts, row.ranks,
        row.totalSteps, row.lastStep, row.lastRecordUnixMs, row.lastLoss, row.outcome, row.cause, row.folder);
}

bool isSame(const launcher::RunStatus& a, const launcher::RunStatus& b)
{
    const auto fields = [](const launcher::RunStatus& status) {
        return std::tie(status.state, status.attempt, status.ranks, status.step, status.totalSteps,
            status.lastRecordUnixMs, status.cause, status.waitsFor);
    };
    return fields(a) == fields(b);
}

}  // namespace

RunsModel::RunsModel(Selection& selection, QObject* parent)
    : QAbstractTableModel(parent)
    , m_selection(selection)
{
    connect(&m_selection, &Selection::drawnChanged, this, [this] {
        if (!m_entries.empty())
            Q_EMIT dataChanged(index(0, Drawn), index(rowCount() - 1, Drawn));
    });
}

void RunsModel::setRows(std::vector<storage::RunRow> rows)
{
    const auto countBefore = m_entries.size();
    removeMissing(rows);
    bool isSetChanged = m_entries.size() != countBefore;
    std::vector<storage::RunRow> fresh;
    for (storage::RunRow& row : rows) {
        const int at = m_rows.value(QString::fromStdString(row.id), -1);
        if (at < 0) {
            fresh.push_back(std::move(row));
            continue;
        }
        RunEntry& known = m_entries[static_cast<std::size_t>(at)];
        if (shown(known.row) == shown(row))
            continue;
        known.row = std::move(row);
        changed(at);
    }
    isSetChanged |= !fresh.empty();
    append(std::move(fresh));
    if (isSetChanged)
        Q_EMIT runsChanged();
}

void RunsModel::removeMissing(const std::vector<storage::RunRow>& rows)
{
    QSet<QString> present;
    for (const storage::RunRow& row : rows)
        present.insert(QString::fromStdString(row.id));
    for (int row = rowCount() - 1; row >= 0; --row) {
        if (present.contains(m_entries[static_cast<std::size_t>(row)].id()))
            continue;
        beginRemoveRows({}, row, row);
        m_entries.erase(m_entries.begin() + row);
        rebuildIndex();
        endRemoveRows();
    }
}

void RunsModel::append(std::vector<storage::RunRow> rows)
{
    if (rows.empty())
        return;
    const int first = rowCount();
    beginInsertRows({}, first, first + static_cast<int>(rows.size()) - 1);
    for (storage::RunRow& row : rows)
        m_entries.push_back({.row = std::move(row), .status = {}});
    rebuildIndex();
    endInsertRows();
}

void RunsModel::rebuildIndex()
{
    m_rows.clear();
    for (std::size_t row = 0; row < m_entries.size(); ++row)
        m_rows.insert(m_entries[row].id(), static_cast<int>(row));
}

void RunsModel::changed(int row)
{
    Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
    Q_EMIT entryChanged(m_entries[static_cast<std::size_t>(row)].id());
}

void RunsModel::setStatus(const QString& id, const launcher::RunStatus& status)
{
    const int row = m_rows.value(id, -1);
    if (row < 0)
        return;
    RunEntry& known = m_entries[static_cast<std::size_t>(row)];
    if (known.status && isSame(*known.status, status))
        return;
    known.status = status;
    changed(row);
}

void RunsModel::tick()
{
    if (!m_entries.empty())
        Q_EMIT dataChanged(index(0, Age), index(rowCount() - 1, Age), {Qt::DisplayRole});
    Q_EMIT ticked();
}

const RunEntry* RunsModel::entry(const QString& id) const
{
    const int row = m_rows.value(id, -1);
    return row < 0 ? nullptr : &m_entries[static_cast<std::size_t>(row)];
}

QModelIndex RunsModel::indexOf(const QString& id, int column) const
{
    const int row = m_rows.value(id, -1);
    return row < 0 ? QModelIndex() : index(row, column);
}

int RunsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_entries.size());
}

int RunsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

bool RunsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (index.column() != Drawn || role != Qt::CheckStateRole)
        return false;
    m_selection.setDrawn(index.data(IdRole).toString(), value.toInt() == Qt::Checked);
    return true;
}

Qt::ItemFlags RunsModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.column() == Drawn ? flags | Qt::ItemIsUserCheckable : flags;
}

}  // namespace ui
