// Colours and glyphs for the states of runs, in a light or dark palette; contrast. line_look.h has the lines of runs.
#pragma once
#include "launcher/state/run_state.h"

#include <QColor>
#include <QPalette>
#include <QRectF>
#include <QString>

class QPainter;

namespace ui {

/// The WCAG contrast ratio of two opaque colours, 1 … 21.
double contrast(const QColor& a, const QColor& b);

bool isDark(const QPalette& palette);

/// @p colour, made lighter or darker with its hue kept until its contrast with @p background is at least
/// @p ratio, or until it is white or black.
QColor withContrast(const QColor& colour, const QColor& background, double ratio);

/// The translated word for @p state, such as "Running".
QString stateWord(launcher::RunState state);
/// Has a contrast of at least 4.5:1 to the palette's base and window, since text is drawn in it too.
QColor stateColour(launcher::RunState state, const QPalette& palette);
/// Draws a different shape for each state, so that states never differ by colour alone.
void drawStateGlyph(QPainter& painter, const QRectF& square, launcher::RunState state, const QColor& colour);

/// For less important text: the text colour blended with the base, with a contrast of at least 4.5:1 to the base and the window.
QColor fadedText(const QPalette& palette);

}  // namespace ui
