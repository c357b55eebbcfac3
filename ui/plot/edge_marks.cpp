#include "ui/plot/canvas/edge_marks.h"

#include <algorithm>
#include <utility>

namespace ui {
namespace {

constexpr double kMarkPixels = 5;
constexpr double kMinArrowDistancePixels = 12;

}  // namespace

void EdgeMarks::clear()
{
    m_used = 0;
    for (QCPGraph* graph : m_graphs)
        graph->setVisible(false);
}

void EdgeMarks::addCrosses(const std::vector<double>& x, const QColor& colour)
{
    add(x, Edge::Lower, colour, QCPScatterStyle::ssCross);
}

void EdgeMarks::addArrowsAbove(std::vector<double> x, const QColor& colour)
{
    add(spacedApart(std::move(x)), Edge::Upper, colour, QCPScatterStyle::ssTriangle);
}

void EdgeMarks::addArrowsBelow(std::vector<double> x, const QColor& colour)
{
    add(spacedApart(std::move(x)), Edge::Lower, colour, QCPScatterStyle::ssTriangleInverted);
}

void EdgeMarks::add(
    const std::vector<double>& x, Edge edge, const QColor& colour, QCPScatterStyle::ScatterShape shape)
{
    if (x.empty())
        return;
    const double inset = (kMarkPixels + 2) / std::max(1, m_plot.axisRect()->height());
    QVector<QCPGraphData> drawn;
    for (const double at : x)
        drawn.append({at, edge == Edge::Lower ? inset : 1 - inset});
    QCPGraph* graph = nextGraph();
    QColor solid = colour;
    solid.setAlphaF(1);
    graph->setPen(QPen(solid, 1));
    graph->setLineStyle(QCPGraph::lsNone);
    graph->setScatterStyle(QCPScatterStyle(shape, QPen(solid, 1.5), QBrush(solid), kMarkPixels + 1));
    graph->data()->set(drawn, false);
    graph->setVisible(true);
}

std::vector<double> EdgeMarks::spacedApart(std::vector<double> x) const
{
    const double apart
        = m_plot.xAxis->range().size() / std::max(1, m_plot.axisRect()->width()) * kMinArrowDistancePixels;
    std::sort(x.begin(), x.end());
    std::vector<double> kept;
    for (const double at : x)
        if (kept.empty() || at - kept.back() >= apart)
            kept.push_back(at);
    return kept;
}

QCPGraph* EdgeMarks::nextGraph()
{
    if (m_used == m_graphs.size()) {
        m_graphs.push_back(m_plot.addGraph(m_plot.xAxis, m_plot.yAxis2));
        m_graphs.back()->setSelectable(QCP::stNone);
    }
    return m_graphs[m_used++];
}

}  // namespace ui
