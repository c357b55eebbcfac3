#include "ui/plot/lines/thinned_smoothing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace ui {
namespace {

constexpr std::int64_t kPointsAtOnce = 65'536;
constexpr std::int64_t kNoBuckets = std::numeric_limits<std::int32_t>::max();
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// The recorded points of a line's attempts, without superseded ones.
class RecordedPoints {
public:
    RecordedPoints(const storage::Store& store, const std::vector<LinePiece>& pieces)
        : m_store(store)
        , m_pieces(pieces)
    {
    }

    /// How many have steps from @p first to @p last.
    std::int64_t count(std::int64_t first, std::int64_t last) const
    {
        std::int64_t points = 0;
        for (const LinePiece& piece : m_pieces)
            points += piece.keptUpTo < first ? 0 : m_store.range(piece.seriesId, first, std::min(last, piece.keptUpTo), 64).totalPoints;
        return points;
    }
    void read(std::int64_t first, std::int64_t last, std::vector<std::int64_t>& steps, std::vector<double>& values) const
    {
        steps.clear();
        values.clear();
        for (const LinePiece& piece : m_pieces) {
            if (piece.keptUpTo < first)
                continue;
            for (const storage::Point& point : m_store.range(piece.seriesId, first, std::min(last, piece.keptUpTo), kNoBuckets).points) {
                steps.push_back(point.step);
                values.push_back(point.value);
            }
        }
    }
    /// The step of the last finite point up to @p step; @p step when there is none. Its distance to the next one is the weight of that one.
    std::int64_t lastFinite(std::int64_t step) const
    {
        std::int64_t limit = step;
        constexpr int kTries = 1000;
        for (int tries = 0; tries < kTries; ++tries) {
            std::optional<storage::Point> found;
            for (auto piece = m_pieces.rbegin(); piece != m_pieces.rend() && !found; ++piece)
                found = m_store.pointAt(piece->seriesId, std::min(limit, piece->keptUpTo));
            if (!found)
                break;
            if (std::isfinite(found->value))
                return found->step;
            limit = found->step - 1;
        }
        return step;
    }

private:
    const storage::Store& m_store;
    const std::vector<LinePiece>& m_pieces;
};

/// Takes the smoothed values of all recorded points, in order, and gives the points of the thinned line theirs.
class ThinnedValues {
public:
    /// Changes nothing before @p from.
    ThinnedValues(const LinePoints& points, std::vector<double> values, std::size_t from)
        : m_points(points)
        , m_steps(points.steps())
        , m_values(std::move(values))
        , m_from(from)
    {
        m_values.resize(m_steps.size());
        std::fill(m_values.begin() + static_cast<std::ptrdiff_t>(from), m_values.end(), kUnknown);
    }

    void add(std::int64_t step, double value)
    {
        while (m_next < m_steps.size() && m_steps[m_next] < step)
            ++m_next;
        if (m_next == m_steps.size())
            return;
        if (m_steps[m_next] > step) {  // between the first and the last point of a bucket, of which only these are held
            m_isInBucket = true;
            m_extremes.add(value);
            return;
        }
        set(m_next, value);
        if (m_isInBucket && m_next > 0 && m_points.piece(m_next - 1) == m_points.piece(m_next)) {
            m_extremes.add(value);
            set(m_next - 1, m_extremes.isLeastFirst ? m_extremes.least : m_extremes.greatest);
            set(m_next, m_extremes.isLeastFirst ? m_extremes.greatest : m_extremes.least);
        }
        m_isInBucket = false;
        m_extremes = {};
        m_extremes.add(value);
    }
    std::vector<double> take() { return std::move(m_values); }

private:
    struct Extremes {
        double least = kUnknown, greatest = kUnknown;
        bool isLeastFirst = true;

        void add(double value)
        {
            if (!std::isfinite(value))
                return;
            if (std::isnan(least)) {
                least = greatest = value;
            } else if (value < least) {
                least = value;
                isLeastFirst = false;
            } else if (value > greatest) {
                greatest = value;
                isLeastFirst = true;
            }
        }
    };
    void set(std::size_t index, double value)
    {
        if (index >= m_from && std::isfinite(m_points.raw().values()[index]))
            m_values[index] = value;
    }

    const LinePoints& m_points;
    std::span<const std::int64_t> m_steps;
    std::vector<double> m_values;
    std::size_t m_from;
    std::size_t m_next = 0;
    bool m_isInBucket = false;
    Extremes m_extremes;
};

/// The first point whose smoothed value is missing, or can be changed by the points that have no smoothed value yet.
std::size_t firstToSmooth(const LineData& line, const Smoothing& smoothing)
{
    const std::size_t known = line.smoother.smoothing() == smoothing ? line.smoothed.size() : 0;
    const auto steps = line.points.steps();
    if (known == 0 || known >= steps.size() || smoothing.kind == Smoothing::Kind::Exponential)
        return 0;
    const auto limit = steps[known] - static_cast<std::int64_t>(std::ceil(smoothing.reach()));
    return static_cast<std::size_t>(std::lower_bound(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(known), limit) - steps.begin());
}

}  // namespace

bool smoothThinned(const storage::Store& store, LineData& line, const Smoothing& smoothing, const std::function<bool()>& isWanted)
{
    const auto steps = line.points.steps();
    if (steps.empty())
        return true;
    const RecordedPoints recorded(store, line.pieces);
    const std::size_t from = firstToSmooth(line, smoothing);
    const std::size_t begin = from - std::min<std::size_t>(from, 3);  // not within a bucket's points
    const auto reach = static_cast<std::int64_t>(std::ceil(smoothing.reach()));
    const std::int64_t all = std::max<std::int64_t>(1, recorded.count(steps[begin], steps.back()));
    // Few points are read twice when most of those at once are not only neighbours.
    const std::int64_t inReach = 4 * reach * all / std::max<std::int64_t>(1, steps.back() - steps[begin]);
    const auto heldAtOnce = static_cast<std::size_t>(
        std::max<std::int64_t>(2, std::max(kPointsAtOnce, std::min(inReach, all)) * static_cast<std::int64_t>(steps.size() - begin) / all));

    ThinnedValues thinned(line.points, {line.smoothed.values().begin(), line.smoothed.values().end()}, from);
    ExponentialMean mean(smoothing.width);
    std::vector<std::int64_t> readSteps;
    std::vector<double> values;
    for (std::size_t at = begin; at < steps.size(); at += heldAtOnce) {
        if (!isWanted())
            return false;
        const std::size_t past = std::min(at + heldAtOnce, steps.size());
        // Up to where the next ones begin: between two of them there are more.
        const std::int64_t first = at == begin ? steps[at] : steps[at - 1] + 1, last = steps[past - 1];
        if (smoothing.kind == Smoothing::Kind::Exponential) {
            recorded.read(first, last, readSteps, values);
            for (std::size_t index = 0; index < values.size(); ++index)
                thinned.add(readSteps[index], mean.add(readSteps[index], values[index]));
            continue;
        }
        recorded.read(recorded.lastFinite(first - reach - 1), last + reach, readSteps, values);
        Smoother smoother(smoothing);
        smoother.extend(readSteps, values);
        for (std::size_t index = 0; index < values.size(); ++index) {
            if (readSteps[index] >= first && readSteps[index] <= last)
                thinned.add(readSteps[index], smoother.values()[index]);
        }
    }
    line.smoother = Smoother(smoothing, thinned.take(), mean);
    line.smoothed = {};
    line.smoothed.replaceFrom(0, line.smoother.values());
    return true;
}

}  // namespace ui
