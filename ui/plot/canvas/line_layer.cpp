#include "ui/plot/canvas/line_layer.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ui {
namespace {

/// Pixel coordinates are clamped to this, because the painter's arithmetic overflows for larger ones.
constexpr double kFarAway = 1e6;

/// The vertical span that a line covers in one column, in pixels.
struct Covered {
    double column = 0;
    double top = 0;
    double bottom = 0;
    QPointF last;

    void add(double y)
    {
        top = std::min(top, y);
        bottom = std::max(bottom, y);
    }
};

}  // namespace

/// QCPAxis::coordToPixel() for many points; looks up the axis ranges once.
class PixelMap {
public:
    explicit PixelMap(const QCustomPlot& plot)
        : m_area(plot.axisRect()->rect())
        , m_x(plot.xAxis->range())
        , m_y(plot.yAxis->range())
        , m_yAxis(plot.yAxis->scaleType() == QCPAxis::stLogarithmic ? plot.yAxis : nullptr)
    {
    }

    QPointF at(const Vertex& vertex) const
    {
        const double x = (vertex.x - m_x.lower) / m_x.size() * m_area.width() + m_area.left();
        const double y = m_yAxis ? m_yAxis->coordToPixel(vertex.y)
                                 : m_area.bottom() - (vertex.y - m_y.lower) / m_y.size() * m_area.height();
        return {x, std::clamp(y, -kFarAway, kFarAway)};
    }

private:
    QRect m_area;
    QCPRange m_x;
    QCPRange m_y;
    const QCPAxis* m_yAxis;  ///< the y axis when it is logarithmic, otherwise null
};

LineLayer::LineLayer(QCustomPlot* plot)
    : QCPLayerable(plot, QStringLiteral("main"))
{
}

QRect LineLayer::clipRect() const
{
    return mParentPlot->axisRect()->rect();
}

void LineLayer::applyDefaultAntialiasingHint(QCPPainter* painter) const
{
    painter->setAntialiasing(false);
}

void LineLayer::add(const std::vector<Vertex>& vertices, const QPen& pen, Look look, int columnPixels)
{
    Stroke& stroke = m_strokes.emplace_back();
    stroke.pen = pen;
    stroke.look = look;
    const PixelMap pixels(*mParentPlot);
    if (look == Look::Columns)
        addColumns(vertices, pixels, columnPixels, stroke);
    else
        addLines(vertices, pixels, stroke);
}

void LineLayer::addMarkers(const std::vector<Vertex>& points, contract::LineMarker marker)
{
    const PixelMap pixels(*mParentPlot);
    Stroke& stroke = m_strokes.back();
    stroke.marker = marker;
    for (const Vertex& point : points)
        stroke.marked << pixels.at(point);
}

void LineLayer::addBand(const std::vector<Vertex>& low, const std::vector<Vertex>& high, const QColor& colour)
{
    const PixelMap pixels(*mParentPlot);
    Stroke below, above;
    addLines(low, pixels, below);
    addLines(high, pixels, above);
    const auto fill = [&](const QPolygonF& upper, const QPolygonF& lower) {
        QPolygonF area = upper;
        std::copy(lower.crbegin(), lower.crend(), std::back_inserter(area));
        m_bands.push_back({area, colour});
    };
    if (below.lines.size() == above.lines.size()) {
        for (std::size_t part = 0; part < below.lines.size(); ++part)
            fill(above.lines[part], below.lines[part]);
        return;
    }
    // One of the two has gaps that the other has not: on a logarithmic axis, the lower one where it is not positive.
    for (const QPolygonF& lower : below.lines) {
        for (const QPolygonF& upper : above.lines) {
            const auto within = [](const QPolygonF& line, const QPolygonF& other) {
                QPolygonF part;
                std::copy_if(line.begin(), line.end(), std::back_inserter(part),
                    [&](const QPointF& at) { return at.x() >= other.front().x() && at.x() <= other.back().x(); });
                return part;
            };
            if (const QPolygonF a = within(upper, lower), b = within(lower, upper); !a.isEmpty() && !b.isEmpty())
                fill(a, b);
        }
    }
}

void LineLayer::addLines(const std::vector<Vertex>& vertices, const PixelMap& pixels, Stroke& stroke)
{
    QPolygonF line;
    for (const Vertex& vertex : vertices) {
        if (!std::isnan(vertex.y)) {
            line << pixels.at(vertex);
        } else if (!line.isEmpty()) {
            stroke.lines.push_back(line);
            line.clear();
        }
    }
    if (!line.isEmpty())
        stroke.lines.push_back(line);
}

void LineLayer::addColumns(
    const std::vector<Vertex>& vertices, const PixelMap& pixels, int columnPixels, Stroke& stroke) const
{
    const double ratio = mParentPlot->bufferDevicePixelRatio();
    const QRectF area(mParentPlot->axisRect()->rect());
    const int origin = static_cast<int>(std::floor(area.left() * ratio));
    stroke.columns.reserve(static_cast<qsizetype>(vertices.size() / 3 + 8));
    bool isOpen = false;
    Covered here;
    const auto close = [&] {
        // At least one pixel high, and exactly one where the line is flat.
        const int top = static_cast<int>(std::floor(std::max(here.top, area.top()) * ratio));
        const int bottom = static_cast<int>(std::floor(std::min(here.bottom, area.bottom()) * ratio));
        if (isOpen && bottom >= top)
            stroke.columns.append(
                {origin + static_cast<int>(here.column) * columnPixels, top, columnPixels, bottom - top + 1});
        isOpen = false;
    };
    for (const Vertex& vertex : vertices) {
        if (std::isnan(vertex.y)) {
            close();
            continue;
        }
        const QPointF at = pixels.at(vertex);
        const double column = std::floor((at.x() * ratio - origin) / columnPixels);
        if (isOpen && column == here.column) {
            here.add(at.y());
            here.last = at;
            continue;
        }
        Covered next {column, at.y(), at.y(), at};
        if (isOpen && column == here.column + 1) {
            // The segment between neighbouring columns is split in half between them.
            const double middle = (here.last.y() + at.y()) / 2;
            here.add(middle);
            next.add(middle);
        } else if (isOpen) {
            stroke.lines.push_back(QPolygonF {here.last, at});
        }
        close();
        here = next;
        isOpen = true;
    }
    close();
}

void LineLayer::draw(QCPPainter* painter)
{
    painter->setAntialiasing(false);
    painter->setPen(Qt::NoPen);
    for (const Fill& band : m_bands) {
        painter->setBrush(band.colour);
        painter->drawPolygon(band.area);
    }
    for (const Stroke& stroke : m_strokes) {
        const bool isSmooth = stroke.look != Look::Columns;
        painter->setAntialiasing(isSmooth);
        painter->setBrush(Qt::NoBrush);
        painter->setPen(stroke.pen);
        for (const QPolygonF& line : stroke.lines)
            painter->drawPolyline(line);
        painter->setPen(Qt::NoPen);
        painter->setBrush(stroke.pen.color());
        const double ratio = mParentPlot->bufferDevicePixelRatio();
        painter->save();
        painter->scale(1 / ratio, 1 / ratio);
        painter->drawRects(stroke.columns);
        painter->restore();
        if (stroke.look == Look::Dots || isSmooth) {
            for (const QPolygonF& line : stroke.lines)
                for (const QPointF& point : line)
                    if (stroke.look == Look::Dots || line.size() == 1)
                        painter->drawEllipse(point, 2.2, 2.2);
        }
        painter->setAntialiasing(true);
        drawMarkers(*painter, stroke.marked, stroke.marker, stroke.pen.color());
    }
}

}  // namespace ui
