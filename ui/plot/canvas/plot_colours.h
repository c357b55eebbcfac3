// The colours and fonts of a chart's axes and grid, from its palette.
#pragma once
#include "ui/base/qcustomplot.h"

namespace ui {

void applyPlotColours(QCustomPlot& plot);

}  // namespace ui
