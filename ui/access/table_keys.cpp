#include "ui/access/table_keys.h"

#include "ui/base/copied_rows.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMainWindow>
#include <QMenu>
#include <QTableView>
#include <QTreeView>

namespace ui {
namespace {

QHeaderView* headerOf(const QAbstractItemView& view)
{
    const auto* const tree = qobject_cast<const QTreeView*>(&view);
    const auto* const table = qobject_cast<const QTableView*>(&view);
    return tree ? tree->header() : table ? table->horizontalHeader() : nullptr;
}

bool isSortable(const QAbstractItemView& view)
{
    const auto* const tree = qobject_cast<const QTreeView*>(&view);
    const auto* const table = qobject_cast<const QTableView*>(&view);
    return (tree && tree->isSortingEnabled()) || (table && table->isSortingEnabled());
}

void sortBy(QAbstractItemView& view, int column, Qt::SortOrder order)
{
    if (auto* const tree = qobject_cast<QTreeView*>(&view))
        tree->sortByColumn(column, order);
    else if (auto* const table = qobject_cast<QTableView*>(&view))
        table->sortByColumn(column, order);
}

/// As the Menu key does.
void openContextMenu(QWidget& widget)
{
    const auto* const view = qobject_cast<const QAbstractScrollArea*>(&widget);
    const QPoint place = widget.inputMethodQuery(Qt::ImCursorRectangle).toRect().center();
    QContextMenuEvent event(QContextMenuEvent::Keyboard, place, (view ? view->viewport() : &widget)->mapToGlobal(place));
    QApplication::sendEvent(&widget, &event);
}

}  // namespace

QAbstractItemView* sortableTableAt(QWidget* focused)
{
    for (QWidget* widget = focused; widget && !qobject_cast<QMainWindow*>(widget); widget = widget->parentWidget()) {
        if (auto* const view = qobject_cast<QAbstractItemView*>(widget); view && isSortable(*view))
            return view;
        for (QAbstractItemView* const view : widget->findChildren<QAbstractItemView*>()) {
            if (view->isVisible() && isSortable(*view))
                return view;
        }
    }
    return nullptr;
}

QMenu* openSortMenu(QAbstractItemView& table)
{
    const QHeaderView& header = *headerOf(table);
    auto* const menu = new QMenu(&table);
    menu->setObjectName(QStringLiteral("sortMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (int place = 0; place < header.count(); ++place) {
        const int column = header.logicalIndex(place);
        QString title = table.model()->headerData(column, Qt::Horizontal).toString().simplified();
        if (title.isEmpty())
            title = table.model()->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().simplified();
        if (header.isSectionHidden(column) || title.isEmpty())
            continue;
        const bool isCurrent = header.sortIndicatorSection() == column;
        const bool isAscending = isCurrent && header.sortIndicatorOrder() == Qt::AscendingOrder;
        title.replace(QLatin1Char('&'), QStringLiteral("&&"));
        if (isCurrent)
            title += QLatin1Char('\t') + (isAscending ? TableKeys::tr("ascending") : TableKeys::tr("descending"));
        QAction* const choice = menu->addAction(title, &table,
            [&table, column, isAscending] { sortBy(table, column, isAscending ? Qt::DescendingOrder : Qt::AscendingOrder); });
        choice->setCheckable(true);
        choice->setChecked(isCurrent);
        if (isCurrent)
            menu->setActiveAction(choice);
    }
    menu->popup(table.viewport()->mapToGlobal(QPoint()));
    return menu;
}

TableKeys::TableKeys(const QAction& sort, QObject* parent)
    : QObject(parent)
    , m_sort(sort)
{
}

bool TableKeys::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::KeyPress)
        return QObject::eventFilter(watched, event);
    auto* const widget = qobject_cast<QWidget*>(watched);
    auto* const view = qobject_cast<QAbstractItemView*>(watched);
    const auto* const press = static_cast<QKeyEvent*>(event);
    const bool isShiftF10 = press->key() == Qt::Key_F10 && press->modifiers() == Qt::ShiftModifier;
    if (view && (isShiftF10 || press->key() == Qt::Key_Menu))
        view->scrollTo(view->currentIndex());
    if (widget && isShiftF10 && widget == QApplication::focusWidget()) {
        openContextMenu(*widget);
        return true;
    }
    if (view && press->matches(QKeySequence::Copy)) {
        if (const QString rows = copiedRows(*view); !rows.isEmpty()) {
            QApplication::clipboard()->setText(rows);
            return true;
        }
    }
    const QKeySequence key = m_sort.shortcut();
    if (widget && !key.isEmpty() && key[0] == press->keyCombination()) {
        if (QAbstractItemView* const table = sortableTableAt(widget)) {
            openSortMenu(*table);
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace ui
