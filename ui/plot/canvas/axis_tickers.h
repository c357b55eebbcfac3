// Tick labels for the quantities that the plot axes show.
#pragma once
#include "ui/base/qcustomplot.h"
#include "ui/plot/layout/plot_groups.h"
#include "ui/plot/lines/plot_settings.h"

#include <QSharedPointer>

namespace ui {

/// A ticker for the x axis with the visible part @p visible: labels are whole steps, h:min:s, or dates and times.
QSharedPointer<QCPAxisTicker> xTicker(XAxis axis, const Interval& visible);
/// A ticker for the y axis with the visible part @p visible. A logarithmic axis over less than about two decades
/// gets linear ticks.
QSharedPointer<QCPAxisTicker> valueTicker(Unit unit, Scale scale, const Interval& visible);

}  // namespace ui
