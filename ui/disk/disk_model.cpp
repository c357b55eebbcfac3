#include "ui/disk/disk_model.h"

#include "ui/base/copied_rows.h"
#include "ui/base/format.h"
#include "ui/base/plain_text.h"
#include "ui/disk/run_name.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ui {
namespace {

std::uint64_t bytesIn(const launcher::RunUsage& usage, int column)
{
    static_assert(DiskModel::Other - DiskModel::Checkpoints + 1 == launcher::kFileKinds);
    return column == DiskModel::Total ? usage.total() : usage.bytes.at(static_cast<std::size_t>(column - DiskModel::Checkpoints));
}

}  // namespace

DiskModel::DiskModel(const RunsModel& runs, QObject* parent)
    : QAbstractTableModel(parent)
    , m_runs(runs)
{
}

void DiskModel::setUsage(std::vector<launcher::RunUsage> usage)
{
    beginResetModel();
    m_usage = std::move(usage);
    m_largest = 0;
    for (const launcher::RunUsage& run : m_usage)
        m_largest = std::max(m_largest, run.total());
    endResetModel();
}

int DiskModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_usage.size()); }

int DiskModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant DiskModel::data(const QModelIndex& index, int role) const
{
    const launcher::RunUsage& run = usage(index.row());
    if (role == Qt::ToolTipRole)
        return plainToolTip(QString::fromStdString(run.run));
    if (index.column() == Run)
        return role == Qt::DisplayRole || role == SortRole ? QVariant(runName(m_runs, run.run)) : QVariant();
    const std::uint64_t bytes = bytesIn(run, index.column());
    switch (role) {
    case Qt::DisplayRole:
        return bytes > 0 ? formatBytes(static_cast<std::int64_t>(bytes)) : QStringLiteral("–");
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case SortRole:
    case kCopyRole:
        return QVariant::fromValue<qulonglong>(bytes);
    case ShareRole:
        return index.column() == Total && m_largest > 0 ? static_cast<double>(bytes) / static_cast<double>(m_largest) : QVariant();
    default:
        return {};
    }
}

QVariant DiskModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((section == Run ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    const std::array<QString, ColumnCount> names = {tr("Run"), tr("Checkpoints"), tr("Samples"), tr("Journals"), tr("Logs"), tr("Other"), tr("Total")};
    return role == Qt::DisplayRole ? QVariant(names.at(static_cast<std::size_t>(section))) : QVariant();
}

}  // namespace ui
