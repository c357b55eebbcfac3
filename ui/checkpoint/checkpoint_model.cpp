#include "ui/checkpoint/checkpoint_model.h"

#include "ui/base/format.h"
#include "ui/base/number_order.h"

#include <QDateTime>

#include <algorithm>

namespace ui {
namespace {

bool isSame(const storage::CheckpointRow& a, const storage::CheckpointRow& b)
{
    const auto isSameMetric = [](const auto& x, const auto& y) { return x.first == y.first && isSameNumber(x.second, y.second); };
    return a.step == b.step && a.path == b.path && a.attempt == b.attempt && a.unixMs == b.unixMs
        && a.bytes == b.bytes && a.isPinned == b.isPinned && std::ranges::equal(a.metrics, b.metrics, isSameMetric);
}

}  // namespace

std::optional<double> metricOf(const storage::CheckpointRow& row, const char* metric)
{
    for (const auto& [name, value] : row.metrics)
        if (name == metric)
            return value;
    return {};
}

void CheckpointModel::setCheckpoints(const QString& runId, const std::vector<storage::CheckpointRow>& checkpoints)
{
    if (runId != m_runId) {
        beginResetModel();
        m_runId = runId;
        m_rows = checkpoints;
        findBest();
        endResetModel();
        return;
    }
    // Both lists are sorted by step: remove the rows that are gone, then insert and update the others.
    for (int row = rowCount() - 1; row >= 0; --row) {
        if (std::ranges::binary_search(checkpoints, checkpoint(row).step, {}, &storage::CheckpointRow::step))
            continue;
        beginRemoveRows({}, row, row);
        m_rows.erase(m_rows.begin() + row);
        endRemoveRows();
    }
    for (std::size_t row = 0; row < checkpoints.size(); ++row) {
        const int number = static_cast<int>(row);
        if (row == m_rows.size() || m_rows[row].step != checkpoints[row].step) {
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
        [this](std::size_t row, const std::string& metric) { return metricOf(checkpoint(static_cast<int>(row)), metric.c_str()); });
    m_best = best ? static_cast<int>(*best) : -1;
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
    if (row == latestRow())
        marks << tr("latest");
    if (row == m_best)
        marks << tr("★ best");
    if (checkpoint(row).isPinned)
        marks << tr("⚑ pinned");
    return marks.join(QStringLiteral(" · "));
}

QString CheckpointModel::text(const storage::CheckpointRow& row, int column, int number) const
{
    const auto metric = [&](const char* name) {
        const auto value = metricOf(row, name);
        return value ? formatNumber(*value) : QString();
    };
    switch (column) {
    case Step:
        return formatCount(row.step);
    case Time:
        return formatAge(row.unixMs, QDateTime::currentMSecsSinceEpoch());
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

QVariant CheckpointModel::sortKey(const storage::CheckpointRow& row, int column, int number) const
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
    case Qt::TextAlignmentRole:
        return QVariant((index.column() == Marks ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        if (index.column() == Time)
            return formatMoment(row.unixMs);
        if (index.column() == Size)
            return tr("%1 bytes").arg(formatCount(row.bytes));
        if (const auto value = index.column() == Loss ? metricOf(row, contract::metric::kLoss)
                : index.column() == ValidationLoss    ? metricOf(row, contract::metric::kValidationLoss)
                : index.column() == Measured          ? metricOf(row, m_measure.metric.c_str())
                                                      : std::nullopt)
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
