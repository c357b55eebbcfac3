// How the lines of runs look: colour, dash pattern and marker, in a light or dark palette.
//
// [Note: looks]
// A run that is drawn gets an index for life (selection.h), which stands for a look: the first ones differ by their colours, the next
// ones by dash patterns, too, and the last ones also by markers. What the user has chosen of the run's line (contract::RunLine) takes
// the place of that part.
#pragma once
#include "engine/contract/run/run_line.h"

#include <QColor>
#include <QPalette>
#include <QPen>
#include <QPolygonF>

#include <array>

class QPainter;

namespace ui {

/// Okabe and Ito's palette without black, ordered so that consecutive colours differ most.
inline constexpr std::array<QRgb, 7> kLineColours = {0xff0072b2, 0xffe69f00, 0xff009e73, 0xffd55e00, 0xffcc79a7, 0xff56b4e9, 0xfff0e442};

/// How many automatic looks differ. Index kLookCount is drawn as index 0.
constexpr int kLookCount = 140;

struct Look {
    // Implicit, since most lines have nothing but their index.
    Look(int automatic = 0, const contract::RunLine& chosenLine = {})
        : index(automatic)
        , chosen(chosenLine)
    {
    }
    int index = 0;             ///< of the automatic look, not negative
    contract::RunLine chosen;  ///< by the user
    bool operator==(const Look&) const = default;
};

/// Of the palette above, with a contrast of at least 3:1 to the base colour; @p index may be larger than its size.
QColor lineColour(int index, const QPalette& palette);
/// With a contrast of at least 3:1 to the base colour, also where the user has chosen another one.
QColor lineColour(const Look& look, const QPalette& palette);
/// The index of the palette's colour that @p look has; look.index when the user has chosen a colour that is not in the palette.
int paletteIndex(const Look& look);
Qt::PenStyle lineStyle(const Look& look);
/// Never Automatic.
contract::LineMarker lineMarker(const Look& look);
/// Colour and dash pattern of @p look as a cosmetic pen, one pixel wide.
QPen linePen(const Look& look, const QPalette& palette);

/// Draws @p marker at each of @p places; nothing for None.
void drawMarkers(QPainter& painter, const QPolygonF& places, contract::LineMarker marker, const QColor& colour);
/// Draws a level line of two pixels with a marker in its middle, as legends have it.
void drawLineSample(QPainter& painter, const QPointF& left, double width, QPen pen, contract::LineMarker marker);

}  // namespace ui
