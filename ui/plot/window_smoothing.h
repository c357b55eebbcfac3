// Smoothing with a window that includes earlier and later points. See [Note: smoothing].
#pragma once
#include "ui/plot/lines/smoothing.h"

namespace ui {

/// Returns the smoothed values of the points [first, values.size()). Earlier points are only used as neighbours.
/// @param smoothing its kind must be RunningMean or RunningMedian.
std::vector<double> smoothByWindow(std::span<const std::int64_t> steps, std::span<const double> values,
    std::size_t first, const Smoothing& smoothing);

}  // namespace ui
