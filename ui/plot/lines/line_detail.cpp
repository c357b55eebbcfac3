#include "ui/plot/lines/line_detail.h"

#include <algorithm>
#include <limits>

namespace ui {
namespace {

double endOf(const LinePoints& points, XAxis axis)
{
    double end = -std::numeric_limits<double>::infinity();
    for (const LinePoints::Stretch& stretch : points.stretches(axis))
        end = std::max(end, points.x(stretch.last - 1, axis));
    return end;
}

}  // namespace

bool LineDetail::covers(const LineData& line, XAxis visibleAxis, const Interval& visible) const
{
    return visibleAxis == axis && visible.lower >= x.lower && std::min(visible.upper, endOf(line.points, axis)) <= x.upper;
}

void LineDetail::extend(const LineData& line, std::int64_t endBefore, const LinePiece& piece, std::span<const storage::Point> appended)
{
    if (points.isEmpty() || points.steps().back() != endBefore)
        return;
    points.append(piece, appended);
    x.upper = endOf(line.points, axis);
}

DetailRequest detailRequest(const LineData& line, XAxis axis, const Interval& x)
{
    DetailRequest request {.key = line.key, .pieces = line.pieces, .axis = axis, .x = {x.lower, std::min(x.upper, endOf(line.points, axis))}};
    request.firstStep = std::numeric_limits<std::int64_t>::max();
    const auto steps = line.points.steps();
    for (const LinePoints::Stretch& stretch : line.points.stretches(axis)) {
        const std::size_t first = line.points.indexAt(stretch, x.lower, axis);
        const std::size_t past = line.points.indexAt(stretch, x.upper, axis, true);
        request.firstStep = std::min(request.firstStep, steps[std::max(first, stretch.first + 1) - 1]);
        request.lastStep = std::max(request.lastStep, steps[std::min(past, stretch.last - 1)]);
    }
    return request;
}

std::optional<LineDetail> loadDetail(const storage::Store& store, const DetailRequest& request, std::int64_t mostPoints)
{
    LineDetail detail {.axis = request.axis, .x = request.x, .points = {}};
    for (const LinePiece& piece : request.pieces) {
        const std::int64_t last = std::min(request.lastStep, piece.keptUpTo);
        if (last < request.firstStep)
            continue;
        const std::int64_t room = mostPoints - static_cast<std::int64_t>(detail.points.size());
        constexpr std::int64_t kFewBuckets = 64;  // to count the points takes no more
        if (store.range(piece.seriesId, request.firstStep, last, kFewBuckets).totalPoints > room)
            return {};
        const storage::SeriesRange range = store.range(piece.seriesId, request.firstStep, last, std::numeric_limits<std::int32_t>::max());
        detail.points.append(piece, range.points);
    }
    return detail;
}

}  // namespace ui
