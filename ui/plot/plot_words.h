// The words for the choices that plots have.
#pragma once
#include "ui/plot/lines/plot_settings.h"
#include "ui/plot/lines/smoothing.h"

#include <QString>

namespace ui {

/// "Step", "Samples seen", "Epoch" …
QString xAxisName(XAxis axis);
/// "Off", "Exponential", "Running mean" …
QString smoothingName(Smoothing::Kind kind);

}  // namespace ui
