// Colours, dashes and glyphs: how a run's line and a run's state look in a light or dark palette.
#pragma once
#include "launcher/run_state.h"

#include <QColor>
#include <QPalette>
#include <QPen>
#include <QRectF>
#include <QString>

class QPainter;

namespace ui {

/// WCAG contrast of two opaque colours, 1 … 21.
double contrast(const QColor& a, const QColor& b);

bool isDark(const QPalette& palette);

/// @p colour made lighter or darker, hue kept, until it has at least @p ratio against @p background.
QColor withContrast(const QColor& colour, const QColor& background, double ratio);

/// The line colour of a look: Okabe and Ito's palette, at least 3:1 against the palette's base.
QColor lineColour(int look, const QPalette& palette);
/// Solid for the first turn through the colours, then dashed, dotted, dash-dotted.
Qt::PenStyle lineStyle(int look);
/// Cosmetic, one pixel.
QPen linePen(int look, const QPalette& palette);

/// The word that is shown, translated: "Running".
QString stateWord(launcher::RunState state);
/// At least 4.5:1 against the palette's base, as it colours words too.
QColor stateColour(launcher::RunState state, const QPalette& palette);
/// A shape of its own for each state: colour is never the only difference.
void drawStateGlyph(QPainter& painter, const QRectF& square, launcher::RunState state, const QColor& colour);

/// Less important text: the palette's text colour, blended with its base, at least 4.5:1.
QColor fadedText(const QPalette& palette);

}  // namespace ui
