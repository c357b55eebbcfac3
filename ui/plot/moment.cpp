#include "ui/plot/lines/moment.h"

namespace ui {
namespace {

/// nullptr when there is no point.
const LinePoints* longestLine(const RecordedLines& lines, const std::string& run)
{
    const LinePoints* longest = nullptr;
    for (const auto& [key, line] : lines) {
        if (key.run == run && !line->points.isEmpty() && (!longest || line->points.size() > longest->size()))
            longest = &line->points;
    }
    return longest;
}

}  // namespace

std::optional<Moment> momentAt(const RecordedLines& lines, const std::string& run, double x, XAxis axis)
{
    const LinePoints* const points = longestLine(lines, run);
    if (!points)
        return std::nullopt;
    const std::size_t index = points->nearest(x, axis);
    if (index == points->size())
        return std::nullopt;
    return Moment {points->steps()[index], points->x(index, XAxis::WallTime)};
}

std::optional<double> xOfTime(const RecordedLines& lines, const std::string& run, double wallSeconds, XAxis axis)
{
    const LinePoints* const points = longestLine(lines, run);
    if (!points || !points->has(axis))
        return std::nullopt;
    return points->x(points->nearest(wallSeconds, XAxis::WallTime), axis);
}

std::optional<double> xOfStep(const RecordedLines& lines, const std::string& run, std::int64_t step, XAxis axis)
{
    const LinePoints* const points = longestLine(lines, run);
    if (!points || !points->has(axis))
        return std::nullopt;
    return points->x(points->nearest(static_cast<double>(step), XAxis::Step), axis);
}

}  // namespace ui
