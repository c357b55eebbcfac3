// Smoothing by a window that looks to both sides. See [Note: smoothing].
#pragma once
#include "ui/plot/smoothing.h"

namespace ui {

/// Smoothed values of points [first, values.size()); the ones before are only looked at.
/// @param smoothing Gaussian, RunningMean or RunningMedian.
std::vector<double> smoothByWindow(std::span<const std::int64_t> steps, std::span<const double> values,
    std::size_t first, const Smoothing& smoothing);

}  // namespace ui
