// Means over bins of an x axis: what a chart with room for a few hundred columns shows of a line, exactly, while the line grows.
#pragma once
#include "ui/plot/lines/line_data.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace ui {

/// What bins are counted in along @p axis: a step, a sample, about a millionth of an epoch, about a millisecond. In the axis's own units.
double binUnit(XAxis axis);
/// The bin of @p width units in which @p x lies.
std::int64_t binAt(double x, std::int64_t width, XAxis axis);

/// Bin i holds what lies from i · width() units on, width() of them, see binUnit(). The width is a power of two.
class StepBins {
public:
    struct Bin {
        double sum = 0;
        double highest = -std::numeric_limits<double>::infinity();
        std::int64_t count = 0;  ///< of finite values

        double mean() const { return count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN(); }
        void add(const Bin& other);
    };

    explicit StepBins(XAxis axis = XAxis::Step)
        : m_axis(axis)
    {
    }

    /// Adds the points that @p points has gained since the last call, at most @p most; it must have places on the axis. Values that are not finite
    /// are left out. @return how many it has added
    std::size_t extend(const LinePoints& points, std::size_t most = std::numeric_limits<std::size_t>::max());

    /// The least width at which there are at most @p most bins, and which is not less than the usual distance of two points.
    std::int64_t neededWidth(std::int64_t most) const;
    /// Merges bins until they have @p width, a power of two. No-op when they are as wide already.
    void widen(std::int64_t width);

    bool isEmpty() const { return m_bins.empty(); }
    std::size_t points() const { return m_points; }  ///< how many of the line have been added
    std::int64_t width() const { return m_width; }
    std::int64_t first() const { return m_first; }  ///< the lowest bin; meaningless when isEmpty()
    std::int64_t last() const { return m_first + static_cast<std::int64_t>(m_bins.size()) - 1; }
    /// An empty bin where there are no points.
    Bin at(std::int64_t bin) const;

private:
    XAxis m_axis;
    std::vector<Bin> m_bins;
    std::int64_t m_first = 0, m_width = 1;
    std::size_t m_points = 0;
    std::int64_t m_lowest = 0, m_highest = 0;  ///< of the points, in units
};

}  // namespace ui
