// Marks at the upper and lower edge of a plot for values that cannot be drawn or are outside the visible range.
#pragma once
#include "ui/base/qcustomplot.h"

#include <QColor>

#include <vector>

namespace ui {

class EdgeMarks {
public:
    /// Draws the marks on the second y axis of @p plot, whose range must stay 0 to 1. @p plot must outlive this.
    explicit EdgeMarks(QCustomPlot& plot)
        : m_plot(plot)
    {
    }

    void clear();
    /// Marks non-finite values at the x coordinates @p x with crosses at the lower edge.
    void addCrosses(const std::vector<double>& x, const QColor& colour);
    /// Marks where lines leave the visible range, with arrows at the upper or lower edge. Arrows that would
    /// overlap are left out.
    void addArrowsAbove(std::vector<double> x, const QColor& colour);
    void addArrowsBelow(std::vector<double> x, const QColor& colour);

private:
    enum class Edge { Upper, Lower };
    void add(const std::vector<double>& x, Edge edge, const QColor& colour, QCPScatterStyle::ScatterShape shape);
    std::vector<double> spacedApart(std::vector<double> x) const;
    QCPGraph* nextGraph();

    QCustomPlot& m_plot;
    std::vector<QCPGraph*> m_graphs;
    std::size_t m_used = 0;
};

}  // namespace ui
