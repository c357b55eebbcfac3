// Marks at the upper and lower edge of a plot: values that cannot be drawn, or that lie outside of it.
#pragma once
#include "ui/qcustomplot.h"

#include <QColor>

#include <vector>

namespace ui {

class EdgeMarks {
public:
    /// Marks stand on @p plot's second y axis, whose range must stay 0 to 1.
    explicit EdgeMarks(QCustomPlot& plot)
        : m_plot(plot)
    {
    }

    void clear();
    void addCrosses(const std::vector<double>& x, const QColor& colour);  ///< at the lower edge
    /// Where lines leave the view; where many do, a few arrows stand for them.
    void addArrowsAbove(std::vector<double> x, const QColor& colour);
    void addArrowsBelow(std::vector<double> x, const QColor& colour);

private:
    enum class Edge { Upper, Lower };
    void add(const std::vector<double>& x, Edge edge, const QColor& colour, QCPScatterStyle::ScatterShape shape);
    std::vector<double> few(std::vector<double> x) const;
    QCPGraph* nextGraph();

    QCustomPlot& m_plot;
    std::vector<QCPGraph*> m_graphs;
    std::size_t m_used = 0;
};

}  // namespace ui
