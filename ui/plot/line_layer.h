// Paints the lines of a plot. QCPGraph draws every segment by itself; dense lines are columns of pixels, which
// a painter fills many times faster.
#pragma once
#include "ui/plot/column_thinning.h"
#include "ui/qcustomplot.h"

#include <QPen>
#include <QPolygonF>

#include <vector>

namespace ui {

class PixelMap;

class LineLayer : public QCPLayerable {
    Q_OBJECT
public:
    explicit LineLayer(QCustomPlot* plot);

    void clear() { m_strokes.clear(); }

    enum class Look {
        Smooth,   ///< a line through all vertices, with soft edges and the pen's pattern
        Columns,  ///< what each column of pixels reaches, exactly and fast
        Dots,     ///< as Smooth, with a dot at each vertex
    };
    /// In plot coordinates; the ranges of the axes must be set.
    /// @param columnPixels how many device pixels a column is wide, for Look::Columns.
    void add(const std::vector<Vertex>& vertices, const QPen& pen, Look look, int columnPixels = 1);

protected:
    QRect clipRect() const override;
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;

private:
    struct Stroke {
        QPen pen;
        Look look = Look::Smooth;
        std::vector<QPolygonF> lines;
        QVector<QRect> columns;  ///< in device pixels: whole ones are filled fastest
    };
    static void addLines(const std::vector<Vertex>& vertices, const PixelMap& pixels, Stroke& stroke);
    void addColumns(const std::vector<Vertex>& vertices, const PixelMap& pixels, int columnPixels,
        Stroke& stroke) const;

    std::vector<Stroke> m_strokes;
};

}  // namespace ui
