#include "ui/runs/runs_model.h"

#include "ui/base/number_order.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_set>

namespace ui {
namespace {

/// The fields whose change is announced: those that the table, its tooltips or other views show. And lastLoss.
auto shownFields(const storage::RunRow& row)
{
    return std::tie(row.name, row.project, row.tags, row.notes, row.isArchived, row.line, row.attempts, row.ranks,
        row.totalSteps, row.lastStep, row.lastRecordUnixMs, row.outcome, row.cause, row.folder);
}

bool isSame(const launcher::RunStatus& a, const launcher::RunStatus& b)
{
    const auto fields = [](const launcher::RunStatus& status) {
        return std::tie(status.state, status.attempt, status.ranks, status.step, status.totalSteps,
            status.lastRecordUnixMs, status.ruleUnixMs, status.cause, status.waitsFor, status.activity, status.place, status.slurmJob);
    };
    return fields(a) == fields(b) && isSameNumber(a.loss, b.loss);
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
    const bool areSomeGone = m_entries.size() != countBefore;
    const auto countLeft = m_entries.size();
    updateRows(std::move(rows));
    if (areSomeGone && m_entries.size() == countLeft)  // otherwise updateRows() has announced it
        Q_EMIT runsChanged();
}

void RunsModel::updateRows(std::vector<storage::RunRow> rows)
{
    std::vector<storage::RunRow> fresh;
    bool isRenamed = false;
    for (storage::RunRow& row : rows) {
        const int at = m_rows.value(QString::fromStdString(row.id), -1);
        if (at < 0) {
            fresh.push_back(std::move(row));
            continue;
        }
        RunEntry& known = m_entries[static_cast<std::size_t>(at)];
        if (shownFields(known.row) == shownFields(row) && isSameNumber(known.row.lastLoss, row.lastLoss))
            continue;
        isRenamed = isRenamed || known.row.name != row.name;
        known.row = std::move(row);
        emitRowChanged(at);
    }
    if (isRenamed)
        recountNames();
    if (fresh.empty())
        return;
    append(std::move(fresh));
    Q_EMIT runsChanged();
}

// Each block of consecutive rows that is removed costs time in proportion to all rows, in this model and in those above
// it. Many scattered rows are therefore moved to the end first, where they are one block.
void RunsModel::removeMissing(const std::vector<storage::RunRow>& rows)
{
    constexpr int kMaxBlocks = 8;
    std::vector<bool> isMissing = missingRows(rows);
    int blocks = 0;
    for (std::size_t row = 0; row < isMissing.size(); ++row)
        blocks += isMissing[row] && (row == 0 || !isMissing[row - 1]);
    if (blocks > kMaxBlocks) {
        moveToEnd(isMissing);
        isMissing = missingRows(rows);
    }
    for (int last = rowCount() - 1; last >= 0; --last) {
        if (!isMissing[static_cast<std::size_t>(last)])
            continue;
        int first = last;
        while (first > 0 && isMissing[static_cast<std::size_t>(first) - 1])
            --first;
        removeBlock(first, last);
        last = first;
    }
}

std::vector<bool> RunsModel::missingRows(const std::vector<storage::RunRow>& rows) const
{
    std::unordered_set<std::string_view> present;
    for (const storage::RunRow& row : rows)
        present.insert(row.id);
    std::vector<bool> isMissing;
    for (const RunEntry& entry : m_entries)
        isMissing.push_back(!present.contains(entry.row.id));
    return isMissing;
}

void RunsModel::removeBlock(int first, int last)
{
    beginRemoveRows({}, first, last);
    m_entries.erase(m_entries.begin() + first, m_entries.begin() + last + 1);
    rebuildIndex();
    endRemoveRows();
    recountNames();
}

/// Moves the rows that @p isMoved marks behind the others and keeps the order within both parts.
void RunsModel::moveToEnd(const std::vector<bool>& isMoved)
{
    Q_EMIT layoutAboutToBeChanged();
    std::vector<RunEntry> sorted;
    std::vector<int> newRow(m_entries.size());
    for (const bool part : {false, true}) {
        for (std::size_t row = 0; row < m_entries.size(); ++row) {
            if (isMoved[row] != part)
                continue;
            newRow[row] = static_cast<int>(sorted.size());
            sorted.push_back(std::move(m_entries[row]));
        }
    }
    m_entries = std::move(sorted);
    rebuildIndex();
    const QModelIndexList before = persistentIndexList();
    QModelIndexList after;
    for (const QModelIndex& known : before)
        after << index(newRow[static_cast<std::size_t>(known.row())], known.column());
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged();
}

void RunsModel::append(std::vector<storage::RunRow> rows)
{
    if (rows.empty())
        return;
    const int first = rowCount();
    beginInsertRows({}, first, first + static_cast<int>(rows.size()) - 1);
    for (storage::RunRow& row : rows)
        m_entries.push_back({.row = std::move(row), .status = {}, .values = std::vector<FieldValue>(m_fields.size())});
    rebuildIndex();
    endInsertRows();
    recountNames();
}

void RunsModel::rebuildIndex()
{
    m_rows.clear();
    for (std::size_t row = 0; row < m_entries.size(); ++row)
        m_rows.insert(m_entries[row].id(), static_cast<int>(row));
}

/// And announces the rows whose name is another's from now on, or no longer: it is shown with or without the end of the id.
void RunsModel::recountNames()
{
    std::unordered_map<std::string, int> before;
    std::swap(before, m_names);
    for (const RunEntry& entry : m_entries)
        ++m_names[entry.row.name];
    for (std::size_t row = 0; row < m_entries.size(); ++row) {
        const auto old = before.find(m_entries[row].row.name);
        if (old != before.end() && (old->second > 1) != (m_names[old->first] > 1))
            Q_EMIT dataChanged(index(int(row), Name), index(int(row), Name));
    }
}

void RunsModel::emitRowChanged(int row)
{
    Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
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
    emitRowChanged(row);
}

void RunsModel::setFields(const std::vector<storage::RunField>& fields)
{
    if (fields == m_fields)
        return;
    for (std::size_t at = m_fields.size(); at-- > 0;) {
        if (std::ranges::find(fields, m_fields[at]) != fields.end())
            continue;
        const int column = BuiltInCount + static_cast<int>(at);
        beginRemoveColumns({}, column, column);
        m_fields.erase(m_fields.begin() + static_cast<std::ptrdiff_t>(at));
        for (RunEntry& entry : m_entries)
            entry.values.erase(entry.values.begin() + static_cast<std::ptrdiff_t>(at));
        endRemoveColumns();
    }
    for (const storage::RunField& field : fields) {
        if (columnOf(field) >= 0)
            continue;
        beginInsertColumns({}, columnCount(), columnCount());
        m_fields.push_back(field);
        for (RunEntry& entry : m_entries)
            entry.values.emplace_back();
        endInsertColumns();
    }
    Q_EMIT fieldsChanged();
}

int RunsModel::columnOf(const storage::RunField& field) const
{
    const auto found = std::ranges::find(m_fields, field);
    return found == m_fields.end() ? -1 : BuiltInCount + static_cast<int>(found - m_fields.begin());
}

/// @param value nullptr: the run has none
/// @return whether it is another one than before.
bool RunsModel::setValue(RunEntry& entry, std::size_t field, const storage::RunValue* value) const
{
    FieldValue fresh;
    if (value && m_fields[field].kind == storage::RunField::Kind::Parameter)
        fresh = optionValue(QString::fromStdString(value->text));
    else if (value)
        fresh.number = value->number;
    FieldValue& known = entry.values[field];
    if (known.text == fresh.text && isSameNumber(known.number, fresh.number))
        return false;
    known = std::move(fresh);
    return true;
}

void RunsModel::setValues(const storage::RunField& field, const std::vector<storage::RunValue>& values)
{
    const int column = columnOf(field);
    if (column < 0 || m_entries.empty())
        return;
    std::vector<const storage::RunValue*> byRow(m_entries.size());
    for (const storage::RunValue& value : values) {
        if (const int row = m_rows.value(QString::fromStdString(value.run), -1); row >= 0)
            byRow[static_cast<std::size_t>(row)] = &value;
    }
    bool hasChanged = false;
    for (std::size_t row = 0; row < byRow.size(); ++row)
        hasChanged = setValue(m_entries[row], static_cast<std::size_t>(column - BuiltInCount), byRow[row]) || hasChanged;
    if (hasChanged)
        Q_EMIT dataChanged(index(0, column), index(rowCount() - 1, column));
}

void RunsModel::setValuesOf(const QString& id, const std::vector<std::pair<storage::RunField, storage::RunValue>>& values)
{
    const int row = m_rows.value(id, -1);
    if (row < 0)
        return;
    RunEntry& entry = m_entries[static_cast<std::size_t>(row)];
    for (std::size_t field = 0; field < m_fields.size(); ++field) {
        const auto value = std::ranges::find(values, m_fields[field], &std::pair<storage::RunField, storage::RunValue>::first);
        const int column = BuiltInCount + static_cast<int>(field);
        if (setValue(entry, field, value == values.end() ? nullptr : &value->second))
            Q_EMIT dataChanged(index(row, column), index(row, column));
    }
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
    return parent.isValid() ? 0 : BuiltInCount + static_cast<int>(m_fields.size());
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
