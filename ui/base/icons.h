// The program's icons: the desktop's where freedesktop has a name for them, else our symbolic ones, rendered from SVG in the palette's
// colour, at any size and scale.
#pragma once
#include <QColor>
#include <QIcon>
#include <QString>

namespace ui {

/// The icon that the desktop's icon theme has for @p name, else resources/icons/NAME.svg in the palette's text colour, faded when disabled.
/// Follows changes of the palette and the theme. An icon of the theme that could hardly be seen on the palette's background is not taken, as when
/// the window is dark and the desktop is not.
QIcon icon(const QString& name);

/// Always ours, in the fixed colour @p colour, which says something; in selected rows with a contrast of at least 3:1.
QIcon icon(const QString& name, const QColor& colour);

/// The program's icon, in colour.
QIcon applicationIcon();

}  // namespace ui
