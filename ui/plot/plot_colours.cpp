#include "ui/plot/canvas/plot_colours.h"

#include "ui/base/look.h"
#include "ui/plot/canvas/drawn_line.h"

#include <algorithm>

namespace ui {

void applyPlotColours(QCustomPlot& plot)
{
    const QPalette& colours = plot.palette();
    const QColor base = colours.color(QPalette::Base);
    const QPen line(blended(base, colours.color(QPalette::Text), 0.35F), 1);
    plot.setBackground(QBrush(base));
    QFont small = plot.font();
    small.setPointSizeF(std::max(7.0, plot.font().pointSizeF() * 0.88));
    for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) {
        axis->setBasePen(line);
        axis->setTickPen(line);
        axis->setSubTickPen(line);
        axis->setTickLabelColor(fadedText(colours));
        axis->setTickLabelFont(small);
        axis->setLabelColor(fadedText(colours));
        axis->setLabelFont(small);
        axis->grid()->setPen(QPen(blended(base, colours.color(QPalette::Text), 0.10F), 1));
    }
}

}  // namespace ui
