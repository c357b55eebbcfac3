#include "ui/base/copied_rows.h"

#include "engine/contract/formats/text.h"

#include <QAbstractItemView>
#include <QDateTime>
#include <QHeaderView>
#include <QTableView>
#include <QTreeView>

#include <algorithm>
#include <vector>

namespace ui {
namespace {

const QHeaderView* headerOf(const QAbstractItemView& view)
{
    const auto* const tree = qobject_cast<const QTreeView*>(&view);
    const auto* const table = qobject_cast<const QTableView*>(&view);
    return tree ? tree->header() : table ? table->horizontalHeader() : nullptr;
}

std::vector<int> shownColumns(const QHeaderView& header)
{
    std::vector<int> columns;
    for (int place = 0; place < header.count(); ++place) {
        if (const int column = header.logicalIndex(place); !header.isSectionHidden(column))
            columns.push_back(column);
    }
    return columns;
}

QString titleOf(const QAbstractItemModel& model, int column)
{
    const QString title = model.headerData(column, Qt::Horizontal).toString();
    return title.isEmpty() ? model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString() : title;
}

QString textOf(const QModelIndex& cell)
{
    const QVariant exact = cell.data(kCopyRole);
    if (exact.typeId() == QMetaType::Double)
        return QString::fromStdString(contract::shortestText(exact.toDouble()));
    return exact.isValid() ? exact.toString() : cell.data().toString();
}

/// A tab or the end of a line in a cell would begin another one.
QString asCell(QString text)
{
    for (const QChar separator : {QLatin1Char('\t'), QLatin1Char('\n'), QLatin1Char('\r')})
        text.replace(separator, QLatin1Char(' '));
    return text;
}

/// The rows of @p index and of what it is in, from the top.
std::vector<int> placeOf(QModelIndex index)
{
    std::vector<int> place;
    for (; index.isValid(); index = index.parent())
        place.insert(place.begin(), index.row());
    return place;
}

/// The first cells of the selected rows. Rows of trees are in the order of their branches.
std::vector<QModelIndex> selectedRows(const QAbstractItemView& view)
{
    struct Row {
        std::vector<int> place;
        QModelIndex first;
    };
    std::vector<Row> rows;
    for (const QItemSelectionRange& range : view.selectionModel()->selection()) {
        std::vector<int> place = placeOf(range.parent());
        place.push_back(0);
        for (int row = range.top(); row <= range.bottom(); ++row) {
            place.back() = row;
            rows.push_back({place, view.model()->index(row, 0, range.parent())});
        }
    }
    std::ranges::sort(rows, {}, &Row::place);
    const auto [first, last] = std::ranges::unique(rows, {}, &Row::place);
    rows.erase(first, last);
    std::vector<QModelIndex> cells;
    for (const Row& row : rows)
        cells.push_back(row.first);
    return cells;
}

}  // namespace

QString copiedTime(std::int64_t unixMs)
{
    return unixMs > 0 ? QDateTime::fromMSecsSinceEpoch(unixMs, Qt::UTC).toString(Qt::ISODateWithMs) : QString();
}

QString copiedRows(const QAbstractItemView& view)
{
    const QHeaderView* const header = headerOf(view);
    if (!header || !view.model() || !view.selectionModel() || !view.selectionModel()->hasSelection())
        return {};
    const std::vector<int> columns = shownColumns(*header);
    const auto line = [&columns](auto text) {
        QStringList cells;
        for (const int column : columns)
            cells << asCell(text(column));
        return cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
    };
    QString all = line([&](int column) { return titleOf(*view.model(), column); });
    for (const QModelIndex& row : selectedRows(view))
        all += line([&](int column) { return textOf(row.siblingAtColumn(column)); });
    return all;
}

}  // namespace ui
