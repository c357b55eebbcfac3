#include "ui/access/find_here.h"

#include <QAbstractItemView>
#include <QLineEdit>
#include <QVariant>

#include <algorithm>
#include <memory>

namespace ui {
namespace {

constexpr char kFindHere[] = "findHere";
using SharedFind = std::shared_ptr<const FindHere>;

}  // namespace

void setFindHere(QWidget& view, const FindHere& find) { view.setProperty(kFindHere, QVariant::fromValue(std::make_shared<const FindHere>(find))); }

FindHere findHereOf(const QWidget* widget)
{
    for (; widget; widget = widget->parentWidget()) {
        if (const auto find = widget->property(kFindHere).value<SharedFind>())
            return *find;
    }
    return {};
}

void stepRows(QAbstractItemView& view, int direction)
{
    const int rows = view.model()->rowCount(view.rootIndex());
    if (rows == 0)
        return;
    const int from = view.currentIndex().isValid() ? view.currentIndex().row() : direction > 0 ? -1 : 0;
    view.setCurrentIndex(view.model()->index((from + direction + rows) % rows, std::max(0, view.currentIndex().column()), view.rootIndex()));
}

FindHere findByFilter(QLineEdit& field, QAbstractItemView& rows)
{
    const auto focusField = [&field] {
        field.setFocus(Qt::ShortcutFocusReason);
        field.selectAll();
    };
    return {focusField, [&field, &rows, focusField](int direction) { field.text().isEmpty() ? focusField() : stepRows(rows, direction); }};
}

}  // namespace ui
