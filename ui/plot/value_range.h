// Computes the part of y that a plot shows.
#pragma once
#include "ui/plot/lines/line_data.h"

#include <optional>
#include <vector>

namespace ui {

/// A curve with the points that give its x values. Both must outlive this.
struct CurveView {
    const LinePoints* points = nullptr;
    const Curve* curve = nullptr;
};

/// Minimum and maximum of the values within @p x that @p scale can show; empty when there are none.
MinMax seenRange(const std::vector<CurveView>& curves, XAxis axis, Scale scale, const Interval& x);

/// The 1st and 99th percentile of the values within @p x. Of more than 200,000 values, an evenly spaced subset is
/// used; that is precise enough for choosing a view.
MinMax clippedRange(const std::vector<CurveView>& curves, XAxis axis, Scale scale, const Interval& x);

/// @p range with a margin, computed on @p scale. Returns a default interval for an empty range, and a wider one
/// around a single value.
Interval padded(const MinMax& range, Scale scale);

}  // namespace ui
