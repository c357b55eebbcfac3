#include "ui/compare/compare_model.h"

#include "ui/base/format.h"
#include "ui/base/line_look.h"
#include "ui/base/look.h"
#include "ui/base/number_order.h"
#include "ui/base/plain_text.h"

#include <QApplication>
#include <QFont>
#include <QPainter>
#include <QPalette>
#include <QPixmap>

#include <algorithm>
#include <utility>

namespace ui {
namespace {

/// The line that the run has in plots.
QPixmap swatch(const Look& look)
{
    constexpr int kWidth = 18;
    constexpr int kHeight = 12;
    const double ratio = qApp->devicePixelRatio();
    QPixmap pixmap(QSize(kWidth, kHeight) * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    drawLineSample(painter, QPointF(0, kHeight / 2.0), kWidth, linePen(look, qApp->palette()), lineMarker(look));
    return pixmap;
}

QString signedText(double value, bool isExact)
{
    const QString text = isExact ? formatExact(value) : formatNumber(value);
    return value > 0 ? QLatin1Char('+') + text : text;
}

}  // namespace

CompareModel::CompareModel(const Selection& selection, QObject* parent)
    : QAbstractTableModel(parent)
    , m_selection(selection)
{
}

void CompareModel::setComparison(storage::Comparison comparison, const QStringList& names, const std::vector<contract::RunLine>& lines,
    std::optional<std::size_t> baseline)
{
    std::vector<Column> columns = {{What::Name, 0}};
    for (std::size_t run = 0; run < comparison.runs.size(); ++run) {
        columns.push_back({What::Value, run});
        if (baseline && run != *baseline) {
            columns.push_back({What::Difference, run});
            columns.push_back({What::Ratio, run});
        }
    }
    const auto isSameRow = [](const storage::ComparisonRow& a, const storage::ComparisonRow& b) {
        return a.what == b.what && a.name == b.name;
    };
    const bool isSameShape = columns == m_columns && comparison.runs == m_comparison.runs
        && std::ranges::equal(comparison.rows, m_comparison.rows, isSameRow);
    if (!isSameShape)
        beginResetModel();
    const bool areHeadingsNew = names != m_names || lines != m_lines;
    const storage::Comparison before = std::exchange(m_comparison, std::move(comparison));
    m_names = names;
    m_lines = lines;
    m_baseline = baseline;
    m_columns = std::move(columns);
    if (!isSameShape)
        return endResetModel();
    if (areHeadingsNew)
        Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
    for (std::size_t row = 0; row < m_comparison.rows.size(); ++row) {
        if (m_comparison.rows[row] != before.rows[row])
            Q_EMIT dataChanged(index(static_cast<int>(row), 0), index(static_cast<int>(row), columnCount() - 1));
    }
}

int CompareModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_comparison.rows.size());
}

int CompareModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

std::optional<double> CompareModel::number(const storage::ComparisonRow& row, const Column& column) const
{
    if (column.what == What::Name)
        return std::nullopt;
    if (column.what == What::Value)
        return row.values[column.run] ? row.values[column.run]->number : std::nullopt;
    const auto delta = storage::deltaOf(row.values[column.run], row.values[*m_baseline]);
    if (!delta)
        return std::nullopt;
    return column.what == What::Difference ? std::optional(delta->difference) : delta->ratio;
}

QString CompareModel::text(const storage::ComparisonRow& row, const Column& column, bool isExact) const
{
    const auto value = number(row, column);
    switch (column.what) {
    case What::Name:
        switch (row.what) {
        case storage::Compared::Last:
            return tr("%1, last").arg(QString::fromStdString(row.name));
        case storage::Compared::Lowest:
            return tr("%1, lowest").arg(QString::fromStdString(row.name));
        case storage::Compared::Highest:
            return tr("%1, highest").arg(QString::fromStdString(row.name));
        case storage::Compared::AtCommonStep:
            return tr("%1 at step %2").arg(QString::fromStdString(row.name), formatCount(row.step));
        default:
            return QString::fromStdString(row.name);
        }
    case What::Value:
        if (row.values[column.run] && !row.values[column.run]->text.empty())
            return QString::fromStdString(row.values[column.run]->text);
        return !value ? QString() : isExact ? formatExact(*value) : formatNumber(*value);
    case What::Difference:
        return !value ? QString() : *value == 0 ? QStringLiteral("0") : signedText(*value, isExact);
    case What::Ratio:
        return !value ? QString() : tr("× %1").arg(isExact ? formatExact(*value) : formatNumber(*value));
    }
    return {};
}

QVariant CompareModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const storage::ComparisonRow& row = m_comparison.rows[static_cast<std::size_t>(index.row())];
    const Column& column = m_columns[static_cast<std::size_t>(index.column())];
    switch (role) {
    case Qt::DisplayRole:
        return text(row, column, false);
    case Qt::ToolTipRole:
        return plainToolTip(text(row, column, true));
    case Qt::TextAlignmentRole:
        return column.what == What::Name ? QVariant() : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::FontRole: {
        QFont font;
        font.setBold(column.what == What::Value && m_baseline && column.run != *m_baseline
            && row.values[column.run] != row.values[*m_baseline]);
        return font;
    }
    case Qt::ForegroundRole:
        return column.what == What::Difference || column.what == What::Ratio ? QVariant(fadedText(qApp->palette())) : QVariant();
    case SortRole:
        return column.what == What::Name ? QVariant(index.row()) : QVariant(sortKeyOf(number(row, column)));
    case DiffersRole:
        return row.differs();
    default:
        return {};
    }
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const Column& column = m_columns[static_cast<std::size_t>(section)];
    const QString name = column.what == What::Name ? QString() : m_names.value(static_cast<qsizetype>(column.run));
    const bool isBaseline = column.what == What::Value && m_baseline && column.run == *m_baseline;
    if (role == Qt::TextAlignmentRole)
        return column.what == What::Name ? QVariant(Qt::AlignLeft | Qt::AlignVCenter) : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::DecorationRole && column.what == What::Value) {
        const int look = m_selection.lookOf(QString::fromStdString(m_comparison.runs[column.run]));
        return look >= 0 ? QVariant(swatch(Look(look, m_lines[column.run]))) : QVariant();
    }
    if (role == Qt::ToolTipRole && column.what != What::Name) {
        const QString baseline = m_baseline ? m_names.value(static_cast<qsizetype>(*m_baseline)) : QString();
        return plainToolTip(column.what == What::Difference ? tr("%1 minus %2").arg(name, baseline)
                : column.what == What::Ratio               ? tr("%1 divided by %2").arg(name, baseline)
                : isBaseline                               ? tr("%1, the baseline").arg(name)
                                                           : name);
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (column.what) {
    case What::Name:
        return tr("Option or metric");
    case What::Difference:
        return tr("difference");
    case What::Ratio:
        return tr("ratio");
    case What::Value:
        return isBaseline ? tr("%1 (baseline)").arg(name) : name;
    }
    return {};
}

}  // namespace ui
