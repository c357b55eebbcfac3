// Tick labels for what our axes measure.
#pragma once
#include "ui/plot/plot_groups.h"
#include "ui/plot/plot_settings.h"
#include "ui/qcustomplot.h"

namespace ui {

/// For x, of which @p shown is seen: whole steps, h:min:s, or dates.
QSharedPointer<QCPAxisTicker> xTicker(XAxis axis, const Interval& shown);
/// For values.
QSharedPointer<QCPAxisTicker> valueTicker(Unit unit, Scale scale, const Interval& shown);

}  // namespace ui
