#include "ui/plot/lines/marked_points.h"

#include <algorithm>
#include <cmath>

namespace ui {

// The x axis is divided into cells, whose size is a power of two, and the first point of each is marked: so the marks neither wander
// when the view is moved nor all change when it is zoomed.
std::vector<Vertex> markedPoints(const LinePoints& points, const Curve& curve, XAxis axis, Scale scale, const Interval& visible, double distance)
{
    std::vector<Vertex> marked;
    const double cell = std::exp2(std::round(std::log2(distance)));
    if (!std::isnormal(cell))
        return marked;
    for (const LinePoints::Stretch& stretch : points.stretches(axis)) {
        const std::size_t last = std::min(stretch.last, curve.size());
        std::size_t index = points.indexAt(stretch, std::floor(visible.lower / cell) * cell, axis);
        while (index < last && points.x(index, axis) <= visible.upper) {
            const double x = points.x(index, axis), y = curve.values()[index];
            if (x >= visible.lower && std::isfinite(y) && (scale == Scale::Linear || y > 0))
                marked.push_back({x, y});
            index = std::max(index + 1, points.indexAt(stretch, (std::floor(x / cell) + 1) * cell, axis));
        }
    }
    return marked;
}

}  // namespace ui
