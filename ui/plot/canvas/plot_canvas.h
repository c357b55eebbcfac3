// Draws the lines of one plot with QCustomPlot. plot_input.h handles input, cursor_overlay.h draws the cursor.
#pragma once
#include "ui/base/qcustomplot.h"
#include "ui/plot/canvas/drawn_line.h"
#include "ui/plot/canvas/edge_marks.h"
#include "ui/plot/canvas/line_layer.h"
#include "ui/plot/layout/plot_view_state.h"

#include <QPaintEvent>
#include <QPixmap>
#include <QResizeEvent>
#include <QTimer>
#include <QVector>

#include <string>
#include <vector>

namespace ui {

class PlotCanvas : public QCustomPlot {
    Q_OBJECT
public:
    /// @param viewState must outlive this.
    /// @param id identifies this plot in @p viewState.
    PlotCanvas(PlotViewState& viewState, std::string id, QWidget* parent = nullptr);

    const std::string& id() const { return m_id; }
    PlotViewState& viewState() { return m_viewState; }
    void setLines(std::vector<DrawnLine> lines);
    const std::vector<DrawnLine>& lines() const { return m_lines; }

    /// Redraws in the next turn of the event loop. While the plot is hidden, redrawing waits until it is shown.
    void refreshSoon();
    /// Redraws at once, if any part of the plot is visible.
    void refresh();
    /// Paints the plot as it is now, visible or not, at its size. @param ratio device pixels for each pixel of the widget
    void paintInto(QCPPainter& painter, double ratio);
    /// Call for each event of a gesture such as panning. Lines are drawn fast and more coarsely until 200 ms
    /// after the last call.
    void setMoving();

    double xAt(double pixel) const { return xAxis->pixelToCoord(pixel); }
    double yAt(double pixel) const { return yAxis->pixelToCoord(pixel); }
    QRect plotRect() const { return axisRect()->rect(); }
    Interval shownY() const { return m_y; }
    Interval shownX() const { return m_x; }

    /// Counts from the last redraw.
    struct Drawn {
        std::size_t points = 0;       ///< points within the visible x range
        std::size_t notPositive = 0;  ///< those left out because the axis is logarithmic
        bool isExact = true;          ///< false when a line was loaded thinned
        std::size_t vertices = 0;
    };
    const Drawn& drawn() const { return m_drawn; }

Q_SIGNALS:
    void linesChanged();
    void refreshed();

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void drawScene();
    void paintPicture();
    void setupAxes();
    void applyPalette();
    void applyTickers(Scale scale);
    void applyMargins();
    void fitLabels();
    Interval chooseY(Scale scale) const;
    void drawLines(Scale scale);
    /// A line that refresh() is about to paint.
    struct Pending {
        const LinePoints* points = nullptr;
        const Curve* curve = nullptr;
        QPen pen;
        bool hasMarks = false;  ///< true for raw current points: they are counted and get edge marks
        ThinnedLine line;
        const DrawnLine* source = nullptr;  ///< of raw current points
        contract::LineMarker marker = contract::LineMarker::None;
    };
    std::vector<Pending> collectLines();
    void addBands(const std::vector<Pending>& lines);
    void count(const Pending& pending);
    void stroke(Pending& pending, bool isSmooth, int columnPixels);
    void mark(const Pending& pending, Scale scale);
    void updateAccessibleName();

    PlotViewState& m_viewState;
    std::string m_id;
    std::vector<DrawnLine> m_lines;
    QPixmap m_picture;  ///< the plot as it was last redrawn; opaque, so that to show it is to copy it
    LineLayer* m_layer;
    EdgeMarks m_marks;
    std::vector<double> m_above;  ///< x values where a line is above the visible range
    std::vector<double> m_below;  ///< x values where a line is below it
    QVector<QString> m_labels;  ///< of the y axis, as last measured
    Interval m_x;
    Interval m_y;
    Drawn m_drawn;
    QTimer m_refresh;
    QTimer m_settle;
    bool m_isDirty = true;
};

}  // namespace ui
