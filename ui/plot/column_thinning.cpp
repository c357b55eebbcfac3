#include "ui/plot/lines/column_thinning.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ui {
namespace {

constexpr double kBreak = std::numeric_limits<double>::quiet_NaN();
/// Up to this many points per column, every point is drawn.
constexpr std::size_t kPointsPerColumn = 4;

class Thinner {
public:
    Thinner(const LinePoints& points, const Curve& curve, XAxis axis, Scale scale, const ColumnGrid& grid)
        : m_points(points)
        , m_curve(curve)
        , m_axis(axis)
        , m_scale(scale)
        , m_grid(grid)
    {
    }

    ThinnedLine run()
    {
        for (const LinePoints::Stretch& stretch : m_points.stretches(m_axis))
            addStretch({stretch.first, std::min(stretch.last, m_curve.size())});
        return std::move(m_result);
    }

private:
    void addStretch(const LinePoints::Stretch& stretch)
    {
        if (stretch.first >= stretch.last)
            return;
        const std::size_t first = m_points.indexAt(stretch, m_grid.x.lower, m_axis);
        const std::size_t last = m_points.indexAt(stretch, m_grid.x.upper, m_axis, true);
        m_result.points += last - first;
        if (m_scale == Scale::Logarithmic)
            m_result.notPositive += countIn(m_curve.notPositive(), first, last);
        if (!m_result.vertices.empty())
            addBreak(m_points.x(stretch.first, m_axis));
        if (first > stretch.first)
            addPoint(first - 1);
        if (last - first <= kPointsPerColumn * static_cast<std::size_t>(m_grid.columns))
            for (std::size_t index = first; index < last; ++index)
                addPoint(index);
        else
            addColumns(first, last);
        if (last < stretch.last)
            addPoint(last);
        addMarks(first, last);
    }

    void addColumns(std::size_t first, std::size_t last)
    {
        m_result.isEveryPoint = false;
        m_result.vertices.reserve(m_result.vertices.size() + static_cast<std::size_t>(m_grid.columns) * 4 + 8);
        while (first < last) {
            const double column = m_grid.columnOf(m_points.x(first, m_axis));
            const std::size_t next = endOfColumn(first, last, column);
            m_lastCount = next - first;
            addColumn(first, next);
            first = next;
        }
    }

    /// The first index after @p first that is in a later column. The search calls columnOf() itself, so that
    /// rounding cannot assign a point to another column than a point-by-point loop would.
    std::size_t endOfColumn(std::size_t first, std::size_t last, double column) const
    {
        const auto isHere = [&](std::size_t index) {
            return m_grid.columnOf(m_points.x(index, m_axis)) <= column;
        };
        // Columns hold about equally many points: search near the expected end first, then in doubling steps.
        std::size_t low = first;
        std::size_t high = std::min(first + m_lastCount, last);
        std::size_t step = 1;
        if (high - first > 1 && !isHere(high - 1)) {
            for (--high; high - low > step && !isHere(high - step); step *= 2)
                high -= step;
            low = high - low > step ? high - step : low;
        } else {
            low = high - 1;
            for (high = low + step; high < last && isHere(high); high = low + step) {
                low = high;
                step *= 2;
            }
            high = std::min(high, last);
        }
        while (high - low > 1) {
            const std::size_t middle = low + (high - low) / 2;
            (isHere(middle) ? low : high) = middle;
        }
        return high;
    }

    void addColumn(std::size_t first, std::size_t next)
    {
        if (next - first <= kPointsPerColumn) {
            for (std::size_t index = first; index < next; ++index)
                addPoint(index);
            return;
        }
        const MinMax reach = m_scale == Scale::Logarithmic ? m_curve.positiveRange(first, next)
                                                           : m_curve.finiteRange(first, next);
        if (reach.isEmpty()) {
            addPoint(first);
            return;
        }
        const double firstX = m_points.x(first, m_axis);
        const double lastX = m_points.x(next - 1, m_axis);
        const double middleX = firstX + (lastX - firstX) / 2;
        addPoint(first);
        m_result.vertices.push_back({middleX, reach.minimum});
        m_result.vertices.push_back({middleX, reach.maximum});
        addPoint(next - 1);
    }

    void addPoint(std::size_t index)
    {
        const double value = m_curve.values()[index];
        const bool isDrawn = std::isfinite(value) && (m_scale == Scale::Linear || value > 0);
        if (isDrawn)
            m_result.vertices.push_back({m_points.x(index, m_axis), value});
        else
            addBreak(m_points.x(index, m_axis));
    }

    void addBreak(double x)
    {
        if (!m_result.vertices.empty() && !std::isnan(m_result.vertices.back().y))
            m_result.vertices.push_back({x, kBreak});
    }

    void addMarks(std::size_t first, std::size_t last)
    {
        const auto all = m_curve.nonFinite();
        double lastColumn = -std::numeric_limits<double>::infinity();
        for (auto at = std::lower_bound(all.begin(), all.end(), first); at != all.end() && *at < last; ++at) {
            const double x = m_points.x(*at, m_axis);
            if (m_grid.columnOf(x) == lastColumn)
                continue;
            lastColumn = m_grid.columnOf(x);
            m_result.nonFinite.push_back(x);
        }
    }

    const LinePoints& m_points;
    const Curve& m_curve;
    XAxis m_axis;
    Scale m_scale;
    ColumnGrid m_grid;
    std::size_t m_lastCount = 1;
    ThinnedLine m_result;
};

}  // namespace

int movingColumnPixels(std::size_t lines, int width)
{
    constexpr std::size_t kMaxMovingColumns = 16'000;  // over all lines; takes about 10 ms on a slow core
    const std::size_t columnsInAll = lines * static_cast<std::size_t>(std::max(width, 0));
    return std::max(1, static_cast<int>((columnsInAll + kMaxMovingColumns - 1) / kMaxMovingColumns));
}

ThinnedLine thinned(const LinePoints& points, const Curve& curve, XAxis axis, Scale scale,
    const ColumnGrid& grid)
{
    return Thinner(points, curve, axis, scale, grid).run();
}

}  // namespace ui
