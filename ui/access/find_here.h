// What the actions Find, Find next and Find previous do in the view that has the focus.
#pragma once
#include <QString>

#include <functional>

class QAbstractItemView;
class QLineEdit;
class QWidget;

namespace ui {

struct FindHere {
    std::function<void()> focusField;         ///< puts the focus where the text to find is typed
    std::function<void(int direction)> step;  ///< goes to the next match (1) or the one before (-1)
};

/// Says what finding does while @p view, or something in it, has the focus.
void setFindHere(QWidget& view, const FindHere& find);

/// That of @p widget or of the nearest widget that contains it; empty functions when there is none.
FindHere findHereOf(const QWidget* widget);

/// Makes the next row of @p view current (1) or the one before (-1); behind the last one comes the first. For views that only show what matches.
void stepRows(QAbstractItemView& view, int direction);

/// Finds in @p rows, which only show what matches the text of @p field. While there is none, a step goes to the field.
FindHere findByFilter(QLineEdit& field, QAbstractItemView& rows);

}  // namespace ui
