#include "ui/base/line_look.h"

#include "ui/base/look.h"

#include <QPainter>

#include <algorithm>

namespace ui {
namespace {

using contract::LineDash;
using contract::LineMarker;

constexpr std::array kLineStyles = {Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
constexpr std::array kAutomaticMarkers = {LineMarker::None, LineMarker::Circle, LineMarker::Square, LineMarker::Triangle, LineMarker::Diamond};
static_assert(kLineColours.size() * kLineStyles.size() * kAutomaticMarkers.size() == kLookCount);
constexpr double kLeastLineContrast = 3.0;

/// The element of @p all for @p look when each stands for @p looksEach consecutive looks.
template <typename Element, std::size_t Count>
Element automatic(const std::array<Element, Count>& all, const Look& look, std::size_t looksEach)
{
    return all[static_cast<std::size_t>(std::max(look.index, 0)) / looksEach % Count];
}

QPolygonF markerShape(LineMarker marker)
{
    switch (marker) {
    case LineMarker::Square:
        return QPolygonF {{-3, -3}, {3, -3}, {3, 3}, {-3, 3}};
    case LineMarker::Triangle:
        return QPolygonF {{0, -4}, {4, 3}, {-4, 3}};
    default:
        return QPolygonF {{0, -4.5}, {4.5, 0}, {0, 4.5}, {-4.5, 0}};
    }
}

}  // namespace

QColor lineColour(int index, const QPalette& palette)
{
    return withContrast(QColor::fromRgb(automatic(kLineColours, index, 1)), palette.color(QPalette::Base), kLeastLineContrast);
}

QColor lineColour(const Look& look, const QPalette& palette)
{
    return look.chosen.colour ? withContrast(QColor::fromRgb(*look.chosen.colour), palette.color(QPalette::Base), kLeastLineContrast)
                              : lineColour(look.index, palette);
}

int paletteIndex(const Look& look)
{
    constexpr QRgb kOpaque = 0xff000000;
    const auto found = look.chosen.colour ? std::ranges::find(kLineColours, *look.chosen.colour | kOpaque) : kLineColours.end();
    return found != kLineColours.end() ? static_cast<int>(found - kLineColours.begin()) : look.index;
}

Qt::PenStyle lineStyle(const Look& look)
{
    return look.chosen.dash != LineDash::Automatic ? kLineStyles[static_cast<std::size_t>(look.chosen.dash) - 1]
                                                   : automatic(kLineStyles, look, kLineColours.size());
}

LineMarker lineMarker(const Look& look)
{
    return look.chosen.marker != LineMarker::Automatic ? look.chosen.marker
                                                       : automatic(kAutomaticMarkers, look, kLineColours.size() * kLineStyles.size());
}

QPen linePen(const Look& look, const QPalette& palette)
{
    QPen pen(lineColour(look, palette), 0, lineStyle(look));
    pen.setCosmetic(true);
    return pen;
}

void drawMarkers(QPainter& painter, const QPolygonF& places, LineMarker marker, const QColor& colour)
{
    constexpr double kRadius = 3.4;
    if (marker == LineMarker::None || marker == LineMarker::Automatic)
        return;
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    const QPolygonF shape = markerShape(marker);
    for (const QPointF& place : places) {
        if (marker == LineMarker::Circle)
            painter.drawEllipse(place, kRadius, kRadius);
        else
            painter.drawConvexPolygon(shape.translated(place));
    }
}

void drawLineSample(QPainter& painter, const QPointF& left, double width, QPen pen, LineMarker marker)
{
    painter.save();
    pen.setWidthF(2);
    painter.setPen(pen);
    painter.drawLine(left, left + QPointF(width, 0));
    painter.setRenderHint(QPainter::Antialiasing);
    drawMarkers(painter, {left + QPointF(width / 2, 0)}, marker, pen.color());
    painter.restore();
}

}  // namespace ui
