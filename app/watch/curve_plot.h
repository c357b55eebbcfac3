// Draws a metric's curve in a rectangle of a terminal: title, axes, every value of its line.
#pragma once
#include "app/watch/metric_curve.h"
#include "app/watch/styled_line.h"

#include <vector>

namespace app {

struct CurveLook {
    bool isLogarithmic = false;
    bool isRankShown = false;  ///< in the title
    /// Whether faint dots can be told from others. Otherwise values that were not smoothed are not drawn beside the smoothed ones.
    bool hasStyles = true;
};

/// @param columns,rows size of the rectangle in cells, at least 20×5
/// @return as many lines as @p rows, none wider than @p columns
std::vector<StyledLine> plotOf(const MetricCurve& curve, const CurveLook& look, int columns, int rows);

}  // namespace app
