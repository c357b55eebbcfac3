// Draws the lines of one plot by QCustomPlot. Input is plot_input.h's, the cursor cursor_overlay.h's.
#pragma once
#include "ui/plot/drawn_line.h"
#include "ui/plot/edge_marks.h"
#include "ui/plot/line_layer.h"
#include "ui/plot/plot_link.h"
#include "ui/qcustomplot.h"

#include <QTimer>

#include <string>
#include <vector>

namespace ui {

class PlotCanvas : public QCustomPlot {
    Q_OBJECT
public:
    /// @param id the plot's name in @p link, which must outlive this.
    PlotCanvas(PlotLink& link, std::string id, QWidget* parent = nullptr);

    const std::string& id() const { return m_id; }
    PlotLink& link() { return m_link; }
    void setLines(std::vector<DrawnLine> lines);
    const std::vector<DrawnLine>& lines() const { return m_lines; }

    /// Draws anew before long; at once when shown again, not at all while hidden.
    void refreshSoon();
    /// The same right away.
    void refresh();
    /// A gesture is going on: fast first, beautiful after it.
    void setMoving();

    double xAt(double pixel) const { return xAxis->pixelToCoord(pixel); }
    double yAt(double pixel) const { return yAxis->pixelToCoord(pixel); }
    QRect plotRect() const { return axisRect()->rect(); }
    Interval shownY() const { return m_y; }
    Interval shownX() const { return m_x; }

    /// What was drawn last.
    struct Drawn {
        std::size_t points = 0;       ///< that lie in the visible part of x
        std::size_t notPositive = 0;  ///< left out of the logarithmic axis
        bool isExact = true;
        std::size_t vertices = 0;
    };
    const Drawn& drawn() const { return m_drawn; }

Q_SIGNALS:
    void refreshed();

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void setupAxes();
    void applyPalette();
    void applyTickers(Scale scale);
    void applyMargins();
    Interval chooseY(Scale scale) const;
    void drawLines(Scale scale);
    /// A line on its way to the screen.
    struct Pending {
        const LinePoints* points = nullptr;
        const Curve* curve = nullptr;
        QPen pen;
        bool hasMarks = false;  ///< it is the line's own, not a smoothed or superseded one
        ThinnedLine line;
    };
    std::vector<Pending> collectLines();
    void count(const Pending& pending);
    void stroke(Pending& pending, bool isSmooth, int columnPixels);
    void describe();

    PlotLink& m_link;
    std::string m_id;
    std::vector<DrawnLine> m_lines;
    LineLayer* m_layer;
    EdgeMarks m_marks;
    std::vector<double> m_above;  ///< x's where a line leaves the view
    std::vector<double> m_below;
    Interval m_x;
    Interval m_y;
    Drawn m_drawn;
    QTimer m_refresh;
    QTimer m_settle;
    bool m_isDirty = true;
};

}  // namespace ui
