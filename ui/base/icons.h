// Our own symbolic icons: they take the palette's colour, at every size and scale.
#pragma once
#include <QColor>
#include <QIcon>
#include <QString>

namespace ui {

/// resources/icons/NAME.svg in the palette's text colour, faded when disabled; it follows the palette.
QIcon icon(const QString& name);

/// The same in a colour of its own.
QIcon icon(const QString& name, const QColor& colour);

/// The program's icon, in colour.
QIcon applicationIcon();

}  // namespace ui
