#include "ui/plot/lines/line_data.h"

#include <algorithm>
#include <cmath>

namespace ui {

void LinePoints::append(const LinePiece& piece, std::span<const storage::Point> points)
{
    if (points.empty())
        return;
    if (m_pieces.empty() || m_pieces.back().piece != piece)
        m_pieces.push_back({m_steps.size(), piece});
    std::vector<double> values;
    values.reserve(points.size());
    double active = m_activeSeconds.empty() ? 0 : m_activeSeconds.back();
    for (const storage::Point& point : points) {
        active = std::max(active, piece.activeSeconds + point.tMs / 1000);
        m_steps.push_back(point.step);
        m_activeSeconds.push_back(active);
        values.push_back(point.value);
    }
    m_raw.replaceFrom(m_raw.size(), values);
}

const LinePiece& LinePoints::piece(std::size_t index) const
{
    auto after = std::upper_bound(m_pieces.begin(), m_pieces.end(), index,
        [](std::size_t target, const Start& start) { return target < start.index; });
    return std::prev(after)->piece;
}

double LinePoints::wallSeconds(std::size_t index) const
{
    const LinePiece& own = piece(index);
    return own.startSeconds + m_activeSeconds[index] - own.activeSeconds;
}

bool LinePoints::has(XAxis axis) const
{
    return std::ranges::all_of(m_pieces, [axis](const Start& start) {
        return (axis != XAxis::Samples || start.piece.samples.isKnown()) && (axis != XAxis::Epochs || start.piece.epochs.isKnown());
    });
}

std::vector<LinePoints::Stretch> LinePoints::stretches(XAxis axis) const
{
    std::vector<Stretch> found;
    if (isEmpty() || !has(axis))
        return found;
    found.push_back({0, size()});
    if (axis == XAxis::Step || axis == XAxis::ActiveTime)
        return found;
    for (std::size_t piece = 1; piece < m_pieces.size(); ++piece) {
        const std::size_t index = m_pieces[piece].index;
        if (x(index, axis) >= x(index - 1, axis))
            continue;
        found.back().last = index;
        found.push_back({index, size()});
    }
    return found;
}

std::size_t LinePoints::indexAt(const Stretch& stretch, double target, XAxis axis, bool isPast) const
{
    std::size_t first = stretch.first;
    std::size_t count = stretch.last - stretch.first;
    while (count > 0) {
        const std::size_t half = count / 2;
        const double here = x(first + half, axis);
        if (here < target || (isPast && here == target)) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

std::size_t LinePoints::nearest(double target, XAxis axis) const
{
    std::size_t best = size();
    for (const Stretch& stretch : stretches(axis)) {
        const std::size_t after = indexAt(stretch, target, axis);
        for (const std::size_t index : {after, after - 1}) {
            if (index < stretch.first || index >= stretch.last)
                continue;
            if (best == size() || std::abs(x(index, axis) - target) < std::abs(x(best, axis) - target))
                best = index;
        }
    }
    return best;
}

void LineData::smooth()
{
    if (smoother.smoothing().kind == Smoothing::Kind::Off)
        return;
    const std::size_t from = smoother.extend(points.steps(), points.raw().values());
    const std::span<const double> values = smoother.values();
    smoothed.replaceFrom(from, values.subspan(std::min(from, values.size())));
}

}  // namespace ui
