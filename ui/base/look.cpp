#include "ui/base/look.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

namespace ui {
namespace {

using launcher::RunState;

constexpr double kTextContrast = 4.5;

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& colour)
{
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF())
        + 0.0722 * linear(colour.blueF());
}

QColor moreContrasting(const QColor& colour, const QColor& background, double ratio)
{
    const bool goLighter = luminance(background) < 0.18;
    QColor adjusted = colour.toHsl();
    float lightness = adjusted.lightnessF();
    // Compared as it is painted, in 8 bits.
    while (contrast(QColor(adjusted.rgb()), background) < ratio && (goLighter ? lightness < 1.0F : lightness > 0.0F)) {
        lightness = std::clamp(lightness + (goLighter ? 0.01F : -0.01F), 0.0F, 1.0F);
        adjusted.setHslF(adjusted.hslHueF(), adjusted.hslSaturationF(), lightness);
    }
    return QColor(adjusted.rgb());
}

/// Text stands in tables, on the base, and in forms and docks, on the window.
QColor readable(const QColor& colour, const QPalette& palette)
{
    return withContrast(withContrast(colour, palette.color(QPalette::Base), kTextContrast), palette.color(QPalette::Window), kTextContrast);
}

QRgb baseStateColour(RunState state)
{
    switch (state) {
    case RunState::Prepared:
        return 0xff808080;
    case RunState::Queued:
        return 0xff009e9e;
    case RunState::Starting:
        return 0xff56b4e9;
    case RunState::Running:
        return 0xff0072b2;
    case RunState::Stalled:
    case RunState::Restarting:
        return 0xffe69f00;
    case RunState::Stopping:
        return 0xffe69f00;
    case RunState::Finished:
        return 0xff009e73;
    case RunState::Stopped:
        return 0xff808080;
    case RunState::Failed:
        return 0xffd62728;
    case RunState::Interrupted:
        return 0xffd55e00;
    case RunState::Imported:
        return 0xff8a63d2;
    case RunState::Missing:
    case RunState::CutOff:
        return 0xff808080;
    }
    return 0xff808080;
}

QPen strokePen(const QColor& colour, const QRectF& square)
{
    QPen pen(colour, square.width() * 0.14);
    pen.setCapStyle(Qt::RoundCap);
    pen.setJoinStyle(Qt::RoundJoin);
    return pen;
}

QPolygonF points(const QRectF& square, std::initializer_list<QPointF> unit)
{
    QPolygonF polygon;
    for (const QPointF& point : unit)
        polygon << QPointF(square.left() + point.x() * square.width(), square.top() + point.y() * square.height());
    return polygon;
}

void fill(QPainter& painter, const QPolygonF& polygon, const QColor& colour)
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(polygon);
}

void stroke(QPainter& painter, const QRectF& square, const QColor& colour, const QPolygonF& line)
{
    painter.setPen(strokePen(colour, square));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(line);
}

void strokeRing(QPainter& painter, const QRectF& square, const QColor& colour)
{
    const double inset = square.width() * 0.1;
    painter.setPen(strokePen(colour, square));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(square.adjusted(inset, inset, -inset, -inset));
}

/// A ring that is open at the top right and ends in an arrow's head.
void strokeArrowRing(QPainter& painter, const QRectF& square, const QColor& colour)
{
    constexpr int kDegree = 16;
    const double inset = square.width() * 0.14;
    painter.setPen(strokePen(colour, square));
    painter.setBrush(Qt::NoBrush);
    painter.drawArc(square.adjusted(inset, inset, -inset, -inset), 75 * kDegree, 285 * kDegree);
    fill(painter, points(square, {{.5, 0}, {.5, .3}, {.76, .15}}), colour);
}

}  // namespace

double contrast(const QColor& a, const QColor& b)
{
    const auto [darker, lighter] = std::minmax({luminance(a), luminance(b)});
    return (lighter + 0.05) / (darker + 0.05);
}

bool isDark(const QPalette& palette)
{
    return luminance(palette.color(QPalette::Base)) < 0.18;
}

QColor withContrast(const QColor& colour, const QColor& background, double ratio)
{
    // Few colours are asked for, again and again, by every row and line that is painted.
    constexpr std::size_t kMaxKnown = 4096;
    thread_local std::map<std::tuple<quint64, quint64, double>, QColor> known;
    const std::tuple key(quint64(colour.rgba64()), quint64(background.rgba64()), ratio);
    const auto found = known.find(key);
    if (found != known.end())
        return found->second;
    if (known.size() >= kMaxKnown)
        known.clear();
    return known.emplace(key, moreContrasting(colour, background, ratio)).first->second;
}

QString stateWord(RunState state)
{
    const char* const word = [state] {
        switch (state) {
        case RunState::Prepared:
            return QT_TRANSLATE_NOOP("ui::RunState", "Prepared");
        case RunState::Queued:
            return QT_TRANSLATE_NOOP("ui::RunState", "Queued");
        case RunState::Starting:
            return QT_TRANSLATE_NOOP("ui::RunState", "Starting");
        case RunState::Running:
            return QT_TRANSLATE_NOOP("ui::RunState", "Running");
        case RunState::Stalled:
            return QT_TRANSLATE_NOOP("ui::RunState", "Stalled");
        case RunState::Restarting:
            return QT_TRANSLATE_NOOP("ui::RunState", "Restarting");
        case RunState::Stopping:
            return QT_TRANSLATE_NOOP("ui::RunState", "Stopping");
        case RunState::Finished:
            return QT_TRANSLATE_NOOP("ui::RunState", "Finished");
        case RunState::Stopped:
            return QT_TRANSLATE_NOOP("ui::RunState", "Stopped");
        case RunState::Failed:
            return QT_TRANSLATE_NOOP("ui::RunState", "Failed");
        case RunState::Interrupted:
            return QT_TRANSLATE_NOOP("ui::RunState", "Interrupted");
        case RunState::Missing:
            return QT_TRANSLATE_NOOP("ui::RunState", "Missing");
        case RunState::Imported:
            return QT_TRANSLATE_NOOP("ui::RunState", "Imported");
        case RunState::CutOff:
            break;
        }
        return QT_TRANSLATE_NOOP("ui::RunState", "Cut off");
    }();
    return QCoreApplication::translate("ui::RunState", word);
}

QColor stateColour(RunState state, const QPalette& palette)
{
    return readable(QColor::fromRgb(baseStateColour(state)), palette);
}

void drawStateGlyph(QPainter& painter, const QRectF& square, RunState state, const QColor& colour)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    switch (state) {
    case RunState::Prepared:
        strokeRing(painter, square, colour);
        break;
    case RunState::Queued:
        for (const double y : {.2, .5, .8})
            stroke(painter, square, colour, points(square, {{.14, y}, {.86, y}}));
        break;
    case RunState::Starting:
        strokeRing(painter, square, colour);
        stroke(painter, square, colour, points(square, {{.5, .3}, {.5, .52}, {.66, .62}}));
        break;
    case RunState::Running:
        fill(painter, points(square, {{.2, .06}, {.94, .5}, {.2, .94}}), colour);
        break;
    case RunState::Stalled:
        fill(painter, points(square, {{.2, .1}, {.42, .1}, {.42, .9}, {.2, .9}}), colour);
        fill(painter, points(square, {{.58, .1}, {.8, .1}, {.8, .9}, {.58, .9}}), colour);
        break;
    case RunState::Restarting:
        strokeArrowRing(painter, square, colour);
        break;
    case RunState::Stopping:
        strokeRing(painter, square, colour);
        fill(painter, points(square, {{.35, .35}, {.65, .35}, {.65, .65}, {.35, .65}}), colour);
        break;
    case RunState::Finished:
        stroke(painter, square, colour, points(square, {{.1, .55}, {.4, .85}, {.92, .18}}));
        break;
    case RunState::Stopped:
        fill(painter, points(square, {{.14, .14}, {.86, .14}, {.86, .86}, {.14, .86}}), colour);
        break;
    case RunState::Failed:
        stroke(painter, square, colour, points(square, {{.16, .16}, {.84, .84}}));
        stroke(painter, square, colour, points(square, {{.84, .16}, {.16, .84}}));
        break;
    case RunState::Interrupted:
        stroke(painter, square, colour, points(square, {{.62, .04}, {.28, .54}, {.72, .48}, {.38, .96}}));
        break;
    case RunState::Missing:
        stroke(painter, square, colour, points(square, {{.14, .5}, {.86, .5}}));
        break;
    case RunState::Imported:  // an arrow into a tray
        stroke(painter, square, colour, points(square, {{.5, .06}, {.5, .58}}));
        stroke(painter, square, colour, points(square, {{.26, .36}, {.5, .62}, {.74, .36}}));
        stroke(painter, square, colour, points(square, {{.1, .66}, {.1, .92}, {.9, .92}, {.9, .66}}));
        break;
    case RunState::CutOff:
        strokeRing(painter, square, colour);
        stroke(painter, square, colour, points(square, {{.22, .78}, {.78, .22}}));
        break;
    }
    painter.restore();
}

QColor fadedText(const QPalette& palette)
{
    const QColor text = palette.color(QPalette::Text);
    const QColor base = palette.color(QPalette::Base);
    const auto blend = [](float a, float b) { return 0.62F * a + 0.38F * b; };
    const QColor mixed = QColor::fromRgbF(blend(text.redF(), base.redF()),
        blend(text.greenF(), base.greenF()), blend(text.blueF(), base.blueF()));
    return readable(mixed, palette);
}

}  // namespace ui
