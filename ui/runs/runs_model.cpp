#include "ui/runs/runs_model.h"

#include "ui/base/format.h"
#include "ui/base/look.h"

#include <QDateTime>
#include <QLocale>
#include <QSet>

#include <algorithm>
#include <limits>
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

double progress(const RunEntry& entry)
{
    const auto inAll = entry.totalSteps();
    return inAll > 0 ? std::min(1.0, double(entry.step()) / double(inAll)) : 0.0;
}

QString joined(const std::vector<std::string>& words)
{
    QStringList list;
    for (const std::string& word : words)
        list << QString::fromStdString(word);
    return list.join(QLatin1Char(' '));
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

QVariant RunsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const RunEntry& entry = m_entries[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
        return text(entry, index.column());
    case Qt::ToolTipRole:
        return toolTip(entry, index.column());
    case Qt::TextAlignmentRole:
        return index.column() == Loss ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::AccessibleTextRole:
        return index.column() == Drawn ? (m_selection.isDrawn(entry.id()) ? tr("drawn") : tr("not drawn"))
                                       : text(entry, index.column());
    case Qt::CheckStateRole:
        return index.column() == Drawn
            ? QVariant(m_selection.isDrawn(entry.id()) ? Qt::Checked : Qt::Unchecked) : QVariant();
    case SortRole:
        return sortKey(entry, index.column());
    case IdRole:
        return entry.id();
    case StateRole:
        return entry.status ? QVariant(static_cast<int>(entry.status->state)) : QVariant();
    case ProgressRole:
        return progress(entry);
    case LookRole:
        return m_selection.isDrawn(entry.id()) ? m_selection.lookOf(entry.id()) : -1;
    case ArchivedRole:
        return entry.row.isArchived;
    case FilterRole:
        return QString(entry.id() + QLatin1Char(' ') + entry.name() + QLatin1Char(' ')
            + QString::fromStdString(entry.row.project) + QLatin1Char(' ') + joined(entry.row.tags)
            + QLatin1Char(' ') + text(entry, State).toString());
    default:
        return {};
    }
}

QVariant RunsModel::text(const RunEntry& entry, int column) const
{
    switch (column) {
    case Name:
        return entry.name();
    case State:
        return entry.status ? stateWord(entry.status->state) : tr("…");
    case Progress:
        return entry.totalSteps() > 0
            ? tr("%1 of %2").arg(formatCount(entry.step()), formatCount(entry.totalSteps()))
            : formatCount(entry.step());
    case Loss:
        return entry.row.lastLoss ? formatNumber(*entry.row.lastLoss) : QString();
    case Age:
        return entry.lastRecordUnixMs() > 0
            ? formatAge(entry.lastRecordUnixMs(), QDateTime::currentMSecsSinceEpoch()) : QString();
    case Started:
        return QLocale().toString(
            QDateTime::fromMSecsSinceEpoch(entry.row.createdUnixMs), QLocale::ShortFormat);
    default:
        return {};
    }
}

QVariant RunsModel::toolTip(const RunEntry& entry, int column) const
{
    switch (column) {
    case Drawn:
        return m_selection.isDrawn(entry.id()) ? tr("Take this run out of the plots")
                                               : tr("Draw this run in the plots");
    case State:
        if (entry.status && !entry.status->waitsFor.empty())
            return tr("Waits: %1").arg(QString::fromStdString(entry.status->waitsFor));
        return entry.cause();
    case Loss:
        return entry.row.lastLoss ? formatExact(*entry.row.lastLoss) : QString();
    case Age:
        return entry.lastRecordUnixMs() > 0
            ? tr("Last record: %1").arg(formatMoment(entry.lastRecordUnixMs())) : QString();
    case Started:
        return formatMoment(entry.row.createdUnixMs);
    default:
        return entry.id();
    }
}

QVariant RunsModel::sortKey(const RunEntry& entry, int column) const
{
    switch (column) {
    case Drawn:
        return m_selection.isDrawn(entry.id());
    case State:
        return entry.status ? static_cast<int>(entry.status->state) : -1;
    case Progress:
        return progress(entry);
    case Loss:
        return entry.row.lastLoss ? QVariant(*entry.row.lastLoss)
                                  : QVariant(std::numeric_limits<double>::infinity());
    case Age:
        return QVariant::fromValue<qlonglong>(entry.lastRecordUnixMs());
    case Started:
        return QVariant::fromValue<qlonglong>(entry.row.createdUnixMs);
    default:
        return entry.name();
    }
}

bool RunsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (index.column() != Drawn || role != Qt::CheckStateRole)
        return false;
    m_selection.setDrawn(index.data(IdRole).toString(), value.toInt() == Qt::Checked);
    return true;
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::ToolTipRole && section == Drawn)
        return tr("Drawn in the plots");
    if (role == Qt::TextAlignmentRole && section == Loss)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name:
        return tr("Run");
    case State:
        return tr("State");
    case Progress:
        return tr("Progress");
    case Loss:
        return tr("Loss");
    case Age:
        return tr("Last record");
    case Started:
        return tr("Created");
    default:
        return QString();
    }
}

Qt::ItemFlags RunsModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.column() == Drawn ? flags | Qt::ItemIsUserCheckable : flags;
}

}  // namespace ui
