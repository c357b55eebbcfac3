#include "ui/disk/surplus_model.h"

#include "ui/base/copied_rows.h"
#include "ui/base/format.h"
#include "ui/base/plain_text.h"
#include "ui/disk/run_name.h"

#include <utility>

namespace ui {

SurplusModel::SurplusModel(const RunsModel& runs, QObject* parent)
    : QAbstractTableModel(parent)
    , m_runs(runs)
{
}

void SurplusModel::setCheckpoints(std::vector<SurplusCheckpoint> checkpoints)
{
    beginResetModel();
    m_checkpoints = std::move(checkpoints);
    endResetModel();
}

int SurplusModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_checkpoints.size()); }

int SurplusModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant SurplusModel::data(const QModelIndex& index, int role) const
{
    const SurplusCheckpoint& each = m_checkpoints[static_cast<std::size_t>(index.row())];
    if (role == Qt::TextAlignmentRole && index.column() == Size)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return plainToolTip(QString::fromStdString(each.folder.string()));
    if (role == kCopyRole && index.column() == Size)
        return static_cast<qulonglong>(each.bytes);
    if (role != Qt::DisplayRole)
        return {};
    return index.column() == Run ? runName(m_runs, each.run)
        : index.column() == Checkpoint ? QString::fromStdString(each.folder.filename().string())
                                       : formatBytes(static_cast<std::int64_t>(each.bytes));
}

QVariant SurplusModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((section == Size ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    return section == Run ? tr("Run") : section == Checkpoint ? tr("Checkpoint that no rule keeps") : tr("Size");
}

}  // namespace ui
