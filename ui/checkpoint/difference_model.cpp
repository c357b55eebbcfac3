#include "ui/checkpoint/difference_model.h"

#include "ui/base/copied_rows.h"
#include "ui/base/format.h"
#include "ui/base/number_order.h"
#include "ui/base/plain_text.h"
#include "ui/checkpoint/tensor_model.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ui {
namespace {

using contract::TensorDifference;
using Kind = TensorDifference::Kind;

QString noteOf(const TensorDifference& tensor)
{
    switch (tensor.kind) {
    case Kind::Compared:
        break;
    case Kind::OnlyInFirst:
        return DifferenceModel::tr("only in the first");
    case Kind::OnlyInSecond:
        return DifferenceModel::tr("only in the second");
    case Kind::OtherShape:
        return DifferenceModel::tr("the shapes differ");
    case Kind::NoNumbers:
        return DifferenceModel::tr("no floating-point numbers");
    }
    return {};
}

QString noteOf(const contract::ValueDifference& difference)
{
    const auto count = static_cast<std::int64_t>(difference.notFinite);
    return count == 0 ? QString() : formatCounted(count, DifferenceModel::tr("1 value is not finite"), DifferenceModel::tr("%Ln values are not finite", nullptr, pluralCount(count)));
}

double shareOf(const contract::ValueDifference& difference)
{
    return difference.values == 0 ? 0 : static_cast<double>(difference.changed) / static_cast<double>(difference.values);
}

}  // namespace

void DifferenceModel::setDifferences(std::vector<TensorDifference> tensors)
{
    m_tensors = std::move(tensors);
    fill();
}

void DifferenceModel::setBy(By by)
{
    m_by = by;
    fill();
}

void DifferenceModel::fill()
{
    beginResetModel();
    m_rows.clear();
    for (const TensorDifference& tensor : m_tensors) {
        const bool isCompared = tensor.kind == Kind::Compared;
        if (m_by == By::Tensor || !isCompared)
            m_rows.push_back({QString::fromStdString(tensor.name), isCompared ? noteOf(tensor.difference) : noteOf(tensor), shapeText(tensor.shape), isCompared,
                tensor.difference});
    }
    if (m_by == By::Layer) {
        for (const contract::LayerDifference& layer : contract::byLayer(m_tensors))
            m_rows.push_back({QString::fromStdString(layer.name), noteOf(layer.difference), formatCounted(layer.tensors, tr("1 tensor"), tr("%Ln tensors", nullptr, pluralCount(layer.tensors))), true,
                layer.difference});
    }
    endResetModel();
}

contract::ValueDifference DifferenceModel::all() const
{
    contract::ValueDifference sums;
    for (const TensorDifference& tensor : m_tensors)
        sums.add(tensor.difference);
    return sums;
}

bool DifferenceModel::hasNotes() const
{
    return std::ranges::any_of(m_rows, [](const Row& row) { return !row.note.isEmpty(); });
}

int DifferenceModel::unchangedTensors() const
{
    return static_cast<int>(std::ranges::count_if(
        m_tensors, [](const TensorDifference& tensor) { return tensor.kind == Kind::Compared && tensor.difference.changed == 0; }));
}

int DifferenceModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }

int DifferenceModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QString DifferenceModel::text(const Row& row, int column) const
{
    if (column == Name)
        return row.name;
    if (column == Note)
        return row.note;
    if (!row.isCompared)
        return {};
    switch (column) {
    case Values:
        return formatCount(static_cast<std::int64_t>(row.difference.values));
    case Changed:
        return formatPercent(shareOf(row.difference));
    case Largest:
        return formatNumber(row.difference.largest);
    case Rms:
        return formatNumber(row.difference.rms());
    default:
        return formatNumber(row.difference.relative());
    }
}

/// Rows that cannot be compared come first when the largest do.
QVariant DifferenceModel::sortKey(const Row& row, int column) const
{
    if (column == Name || column == Note)
        return column == Name ? row.name : row.note;
    if (!row.isCompared)
        return sortKeyOf(std::nullopt);
    switch (column) {
    case Values:
        return static_cast<qulonglong>(row.difference.values);
    case Changed:
        return shareOf(row.difference);
    case Largest:
        return row.difference.largest;
    case Rms:
        return row.difference.rms();
    default:
        return sortKeyOf(row.difference.relative());
    }
}

QVariant DifferenceModel::data(const QModelIndex& index, int role) const
{
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case SortRole:
        return sortKey(row, index.column());
    case kCopyRole:
        if (index.column() == Relative)
            return row.isCompared ? QVariant(row.difference.relative()) : QVariant();
        return text(row, index.column()).isEmpty() ? QVariant() : sortKey(row, index.column());
    case Qt::ToolTipRole:
        return plainToolTip(row.name + QStringLiteral(": ") + row.toolTip);
    case Qt::TextAlignmentRole:
        return QVariant((index.column() == Name || index.column() == Note ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    default:
        return {};
    }
}

QVariant DifferenceModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((section == Name || section == Note ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    const std::array<QString, ColumnCount> names
        = {m_by == By::Layer ? tr("Layer") : tr("Tensor"), tr("Values"), tr("Changed"), tr("Largest"), tr("RMS"), tr("Relative"), QString()};
    const std::array<QString, ColumnCount> help = {QString(), QString(), tr("The share of the values that are not equal"), tr("The largest |second − first|"),
        tr("The root mean square of second − first"), tr("The norm of second − first, divided by the norm of the first"), QString()};
    if (role == Qt::DisplayRole)
        return names.at(static_cast<std::size_t>(section));
    return role == Qt::ToolTipRole ? QVariant(help.at(static_cast<std::size_t>(section))) : QVariant();
}

}  // namespace ui
