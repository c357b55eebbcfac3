// A line minus the baseline's line.
//
// [Note: differences]
// A difference has a point for each step that both lines have recorded; nothing is interpolated. Superseded points have none,
// and neither have lines that are thinned, since their points are not those that were recorded. Differences are smoothed as
// other lines are, after the subtraction.
#pragma once
#include "ui/plot/lines/line_data.h"

#include <cstddef>
#include <memory>

namespace ui {

struct DeltaLine {
    std::shared_ptr<const LineData> source;
    std::shared_ptr<const LineData> baseline;
    std::shared_ptr<LineData> line;  ///< has the source's key
    std::size_t sourceDone = 0;      ///< how many points of each have been taken into account
    std::size_t baselineDone = 0;

    /// How many points extend() has to look at.
    std::size_t pointsToDo() const { return source->points.size() - sourceDone + baseline->points.size() - baselineDone; }
    /// Appends the differences at the steps that both lines have by now.
    void extend();
};

}  // namespace ui
