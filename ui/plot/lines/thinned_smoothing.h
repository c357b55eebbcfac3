// Smooths a line that is too long to be held whole by all its points, which are read from the store. See [Note: smoothing].
#pragma once
#include "ui/plot/lines/line_data.h"
#include "ui/plot/lines/smoothing.h"

#include <functional>

namespace ui {

/// Brings line.smoother and line.smoothed to @p smoothing and to all points of @p line, which is thinned. A point gets the smoothed value of
/// its step, and the two points of a bucket the least and the greatest smoothed value of the bucket, in the order in which they come. Holds no
/// more points at a time than about 100,000 and those within reach of @p smoothing. Takes seconds where there are many millions.
/// @param isWanted asked now and then. @return false: it was not wanted any longer, and @p line is as it was. @throws storage::StoreError.
bool smoothThinned(const storage::Store& store, LineData& line, const Smoothing& smoothing, const std::function<bool()>& isWanted);

}  // namespace ui
