// Which part of y a plot shows.
#pragma once
#include "ui/plot/line_data.h"

#include <optional>
#include <vector>

namespace ui {

/// A curve as seen through a window of x.
struct CurveView {
    const LinePoints* points = nullptr;
    const Curve* curve = nullptr;
};

/// Least and greatest value seen within @p x; empty when nothing is.
MinMax seenRange(const std::vector<CurveView>& curves, XAxis axis, Scale scale, const Interval& x);

/// The 1st and 99th percentile of the values within @p x. Of more than 200,000 values evenly spread ones
/// are looked at: it only chooses the view.
MinMax clippedRange(const std::vector<CurveView>& curves, XAxis axis, Scale scale, const Interval& x);

/// With a margin, in the scale's own measure; something sensible around a single value and for nothing.
Interval padded(const MinMax& range, Scale scale);

}  // namespace ui
