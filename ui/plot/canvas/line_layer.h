// Paints the lines of a plot. QCPGraph draws each segment separately. This layer paints dense lines as filled
// pixel columns, which is many times faster.
#pragma once
#include "ui/base/line_look.h"
#include "ui/base/qcustomplot.h"
#include "ui/plot/lines/column_thinning.h"

#include <QPen>
#include <QPolygonF>

#include <vector>

namespace ui {

class PixelMap;

class LineLayer : public QCPLayerable {
    Q_OBJECT
public:
    explicit LineLayer(QCustomPlot* plot);

    void clear()
    {
        m_strokes.clear();
        m_bands.clear();
    }

    enum class Look {
        Smooth,   ///< an antialiased line through all vertices, with the pen's dash pattern
        Columns,  ///< the vertical span of the line in each pixel column, filled: exact and fast
        Dots,     ///< as Smooth, with a dot at each vertex
    };
    /// Adds a line. The ranges of the axes must be set before.
    /// @param vertices in plot coordinates.
    /// @param columnPixels the width of a column in device pixels, for Look::Columns.
    void add(const std::vector<Vertex>& vertices, const QPen& pen, Look look, int columnPixels = 1);

    /// Marks these points, which are in plot coordinates, of the line that was added last.
    void addMarkers(const std::vector<Vertex>& points, contract::LineMarker marker);

    /// Fills what lies between two lines, behind all lines, as far as both are there. The ranges of the axes must be set before.
    void addBand(const std::vector<Vertex>& low, const std::vector<Vertex>& high, const QColor& colour);

protected:
    QRect clipRect() const override;
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;

private:
    struct Stroke {
        QPen pen;
        Look look = Look::Smooth;
        std::vector<QPolygonF> lines;
        QVector<QRect> columns;  ///< in device pixels, since whole pixels are filled fastest
        QPolygonF marked;
        contract::LineMarker marker = contract::LineMarker::None;
    };
    static void addLines(const std::vector<Vertex>& vertices, const PixelMap& pixels, Stroke& stroke);
    void addColumns(const std::vector<Vertex>& vertices, const PixelMap& pixels, int columnPixels,
        Stroke& stroke) const;

    struct Fill {
        QPolygonF area;
        QColor colour;
    };

    std::vector<Fill> m_bands;
    std::vector<Stroke> m_strokes;
};

}  // namespace ui
