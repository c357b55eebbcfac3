// The program's symbolic icons: rendered from SVG in the palette's colour, at any size and scale.
#pragma once
#include <QColor>
#include <QIcon>
#include <QString>

namespace ui {

/// resources/icons/NAME.svg in the palette's text colour, faded when disabled. Follows palette changes.
QIcon icon(const QString& name);

/// The same icon in the fixed colour @p colour.
QIcon icon(const QString& name, const QColor& colour);

/// The program's icon, in colour.
QIcon applicationIcon();

}  // namespace ui
