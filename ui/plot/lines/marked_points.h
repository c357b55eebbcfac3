// Chooses the points of a line that carry its marker.
#pragma once
#include "ui/plot/lines/column_thinning.h"

#include <vector>

namespace ui {

/// Points of the line within @p visible, about @p distance apart. They are points that were recorded, and stay the same while the view
/// is moved. Points that @p scale cannot show are left out.
/// @param curve the raw or smoothed values of @p points.
/// @param distance in units of x, more than 0.
std::vector<Vertex> markedPoints(const LinePoints& points, const Curve& curve, XAxis axis, Scale scale, const Interval& visible, double distance);

}  // namespace ui
