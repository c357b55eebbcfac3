// Keys that all tables have: one that opens the menu in which the order of the rows is chosen, those that open the menu of the current row, and
// those that copy the selected rows.
#pragma once
#include <QAction>
#include <QObject>

class QAbstractItemView;
class QMenu;

namespace ui {

/// The table that has the focus, or one beside it in the same part of the window, if its rows can be sorted; nullptr: there is none.
QAbstractItemView* sortableTableAt(QWidget* focused);

/// Opens a menu with the columns of @p table: choosing one sorts by it, choosing it again reverses the order. It deletes itself when closed.
QMenu* openSortMenu(QAbstractItemView& table);

/// An event filter for the application. In windows in which @p sort is not at hand, such as dialogs, its key sorts their tables. Shift+F10
/// opens the menu of what has the focus, in tables and lists that of the current row, which then is in sight; the Menu key does so through Qt.
/// Ctrl+C copies the selected rows (copied_rows.h), unless a view has an action of its own for it.
class TableKeys : public QObject {
    Q_OBJECT
public:
    /// @param sort must outlive this.
    TableKeys(const QAction& sort, QObject* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    const QAction& m_sort;
};

}  // namespace ui
