#include "ui/checkpoint/tensor_model.h"

#include "ui/base/copied_rows.h"
#include "ui/base/format.h"

namespace ui {

QString shapeText(const std::vector<std::int64_t>& shape)
{
    if (shape.empty())
        return TensorModel::tr("scalar");
    QStringList sides;
    for (const std::int64_t side : shape)
        sides << QString::number(side);
    return sides.join(QStringLiteral(" × "));
}

void TensorModel::setTensors(std::vector<contract::TensorEntry> tensors)
{
    beginResetModel();
    m_tensors = std::move(tensors);
    endResetModel();
}

int TensorModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_tensors.size());
}

int TensorModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant TensorModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const contract::TensorEntry& tensor = m_tensors[static_cast<std::size_t>(index.row())];
    if (role == Qt::TextAlignmentRole)
        return QVariant((index.column() >= Elements ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    const bool isSortKey = role == SortRole || role == kCopyRole;
    if (role != Qt::DisplayRole && !isSortKey)
        return {};
    switch (index.column()) {
    case Name:
        return QString::fromStdString(tensor.name);
    case Shape:
        return shapeText(tensor.shape);
    case Dtype:
        return QString::fromStdString(tensor.dtype);
    case Elements:
        return isSortKey ? QVariant(static_cast<qulonglong>(tensor.elements()))
                         : QVariant(formatCount(static_cast<std::int64_t>(tensor.elements())));
    case Bytes:
        return isSortKey ? QVariant(static_cast<qulonglong>(tensor.bytes()))
                         : QVariant(formatBytes(static_cast<std::int64_t>(tensor.bytes())));
    default:
        return {};
    }
}

QVariant TensorModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((section >= Elements ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    const QString titles[] = {tr("Tensor"), tr("Shape"), tr("Type"), tr("Elements"), tr("Size")};
    return titles[section];
}

}  // namespace ui
