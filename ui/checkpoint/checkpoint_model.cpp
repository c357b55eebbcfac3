#include "ui/checkpoint/checkpoint_model.h"

#include "ui/base/copied_rows.h"
#include "ui/base/format.h"
#include "ui/base/number_order.h"
#include "ui/language/outside_text.h"

#include <QDateTime>

#include <algorithm>
#include <tuple>

namespace ui {
namespace {

auto placeOf(const ListedCheckpoint& row)
{
    return std::tie(row.step, row.path);
}

bool isSame(const ListedCheckpoint& a, const ListedCheckpoint& b)
{
    const auto isSameMetric = [](const auto& x, const auto& y) { return x.first == y.first && isSameNumber(x.second, y.second); };
    return a.step == b.step && a.path == b.path && a.attempt == b.attempt && a.unixMs == b.unixMs
        && a.bytes == b.bytes && a.isFormer == b.isFormer && a.damage == b.damage && a.isPinned == b.isPinned && a.isAbandoned == b.isAbandoned && std::ranges::equal(a.metrics, b.metrics, isSameMetric);
}

}  // namespace

std::optional<double> metricOf(const ListedCheckpoint& row, const char* metric)
{
    for (const auto& [name, value] : row.metrics)
        if (name == metric)
            return value;
    return {};
}

void CheckpointModel::setCheckpoints(const QString& runId, const std::vector<ListedCheckpoint>& checkpoints)
{
    if (runId != m_runId) {
        beginResetModel();
        m_runId = runId;
        m_rows = checkpoints;
        findBest();
        endResetModel();
        return;
    }
    // Both lists have the same order: remove the rows that are gone, then insert and update the others.
    for (int row = rowCount() - 1; row >= 0; --row) {
        if (std::ranges::binary_search(checkpoints, placeOf(checkpoint(row)), {}, placeOf))
            continue;
        beginRemoveRows({}, row, row);
        m_rows.erase(m_rows.begin() + row);
        endRemoveRows();
    }
    for (std::size_t row = 0; row < checkpoints.size(); ++row) {
        const int number = static_cast<int>(row);
        if (row == m_rows.size() || placeOf(m_rows[row]) != placeOf(checkpoints[row])) {
            beginInsertRows({}, number, number);
            m_rows.insert(m_rows.begin() + number, checkpoints[row]);
            endInsertRows();
        } else if (!isSame(m_rows[row], checkpoints[row])) {
            m_rows[row] = checkpoints[row];
            Q_EMIT dataChanged(index(number, 0), index(number, ColumnCount - 1));
        }
    }
    const int best = m_best;
    findBest();
    if (best != m_best || !m_rows.empty())
        Q_EMIT dataChanged(index(0, Marks), index(rowCount() - 1, Marks));
}

void CheckpointModel::setMeasure(const CheckpointMeasure& measure)
{
    if (measure == m_measure)
        return;
    m_measure = measure;
    findBest();
    Q_EMIT headerDataChanged(Qt::Horizontal, Measured, Measured);
    if (!m_rows.empty())
        Q_EMIT dataChanged(index(0, Measured), index(rowCount() - 1, Marks));
}

bool CheckpointModel::hasMeasureOfItsOwn() const
{
    return m_measure.metric != contract::metric::kLoss && m_measure.metric != contract::metric::kValidationLoss;
}

void CheckpointModel::findBest()
{
    const auto best = bestCheckpoint(m_measure, m_rows.size(),
        [this](std::size_t row, const std::string& metric) { return m_rows[row].isFormer ? std::nullopt : metricOf(m_rows[row], metric.c_str()); });
    m_best = best ? static_cast<int>(*best) : -1;
}

int CheckpointModel::latestRow() const
{
    const auto isInUse = [](const ListedCheckpoint& row) { return !row.isAbandoned && !row.isFormer && row.damage.empty(); };
    const auto latest = std::ranges::find_if(m_rows.rbegin(), m_rows.rend(), isInUse);
    return static_cast<int>(m_rows.rend() - latest) - 1;
}

int CheckpointModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int CheckpointModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString CheckpointModel::marks(int row) const
{
    QStringList marks;
    if (checkpoint(row).isFormer)
        marks << tr("former");
    if (row == latestRow())
        marks << tr("latest");
    if (row == m_best)
        marks << tr("★ best");
    if (checkpoint(row).isPinned)
        marks << tr("⚑ pinned");
    if (const std::string& damage = checkpoint(row).damage; !damage.empty())
        marks << tr("damaged: %1").arg(translatedSentence(damage));
    return marks.join(QStringLiteral(" · "));
}

QString CheckpointModel::text(const ListedCheckpoint& row, int column, int number) const
{
    const auto metric = [&](const char* name) {
        const auto value = metricOf(row, name);
        return value ? formatNumber(*value) : QString();
    };
    switch (column) {
    case Step:
        return formatCount(row.step);
    case Time:
        return row.damage.empty() ? formatAge(row.unixMs, QDateTime::currentMSecsSinceEpoch()) : QString();
    case Size:
        return formatBytes(row.bytes);
    case Loss:
        return metric(contract::metric::kLoss);
    case ValidationLoss:
        return metric(contract::metric::kValidationLoss);
    case Measured:
        return metric(m_measure.metric.c_str());
    case Marks:
        return marks(number);
    default:
        return {};
    }
}

QVariant CheckpointModel::sortKey(const ListedCheckpoint& row, int column, int number) const
{
    const auto metric = [&](const char* name) {
        return sortKeyOf(metricOf(row, name));
    };
    switch (column) {
    case Step:
        return static_cast<qlonglong>(row.step);
    case Time:
        return static_cast<qlonglong>(row.unixMs);
    case Size:
        return static_cast<qlonglong>(row.bytes);
    case Loss:
        return metric(contract::metric::kLoss);
    case ValidationLoss:
        return metric(contract::metric::kValidationLoss);
    case Measured:
        return metric(m_measure.metric.c_str());
    default:
        return marks(number);
    }
}

/// Nullopt also in columns of something else.
std::optional<double> CheckpointModel::metricIn(const ListedCheckpoint& row, int column) const
{
    switch (column) {
    case Loss:
        return metricOf(row, contract::metric::kLoss);
    case ValidationLoss:
        return metricOf(row, contract::metric::kValidationLoss);
    case Measured:
        return metricOf(row, m_measure.metric.c_str());
    default:
        return {};
    }
}

QVariant CheckpointModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const auto& row = checkpoint(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column(), index.row());
    case SortRole:
        return sortKey(row, index.column(), index.row());
    case kCopyRole:
        if (index.column() == Time)
            return copiedTime(row.unixMs);
        if (const auto value = metricIn(row, index.column()))
            return *value;
        return index.column() == Step || index.column() == Size ? sortKey(row, index.column(), index.row()) : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant((index.column() == Marks ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        if (index.column() == Marks)
            return row.damage.empty() ? QVariant() : marks(index.row());
        if (index.column() == Time && !row.damage.empty())
            return {};
        if (index.column() == Time)
            return formatMoment(row.unixMs);
        if (index.column() == Size)
            return tr("%1 bytes").arg(formatCount(row.bytes));
        if (const auto value = metricIn(row, index.column()))
            return formatExact(*value);
        return {};
    default:
        return {};
    }
}

QVariant CheckpointModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((section == Marks ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Step:
        return tr("Step");
    case Time:
        return tr("Written");
    case Size:
        return tr("Size");
    case Loss:
        return tr("Loss");
    case ValidationLoss:
        return tr("Validation loss");
    case Measured:
        return QString::fromStdString(m_measure.metric);
    case Marks:
        return tr("Marks");
    default:
        return {};
    }
}

}  // namespace ui
