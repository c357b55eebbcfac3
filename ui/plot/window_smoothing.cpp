#include "ui/plot/lines/window_smoothing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ui {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// The finite points that can influence the result; a weight is the number of steps that a point counts for.
struct Finite {
    std::vector<std::int64_t> steps;
    std::vector<double> values;
    std::vector<std::int64_t> weights;
};

Finite finitePoints(std::span<const std::int64_t> steps, std::span<const double> values, std::size_t first,
    const Smoothing& smoothing)
{
    const double reach = smoothing.reach();
    const auto limit = static_cast<std::int64_t>(std::ceil(std::max(1.0, 2 * reach)));
    // Go back to the first point in reach, and by one finite point more, which determines the weight of that one.
    std::size_t begin = first;
    while (begin > 0 && static_cast<double>(steps[first] - steps[begin - 1]) <= reach)
        --begin;
    while (begin > 0 && !std::isfinite(values[--begin])) { }

    Finite finite;
    for (std::size_t index = begin; index < values.size(); ++index) {
        if (!std::isfinite(values[index]))
            continue;
        const std::int64_t since = finite.steps.empty() ? 1 : steps[index] - finite.steps.back();
        finite.steps.push_back(steps[index]);
        finite.values.push_back(values[index]);
        finite.weights.push_back(std::clamp<std::int64_t>(since, 1, limit));
    }
    // The first point of the series has the weight of the second. (When begin > 0, the first point here is out of
    // reach and its weight is never used.)
    if (finite.weights.size() > 1)
        finite.weights[0] = finite.weights[1];
    return finite;
}

/// A window that slides over finite points; those in [left, right) are within reach of the current point.
struct Window {
    std::size_t left = 0;
    std::size_t right = 0;

    template<typename Enter, typename Leave>
    void moveTo(const Finite& finite, std::int64_t step, double reach, Enter enter, Leave leave)
    {
        while (right < finite.steps.size() && static_cast<double>(finite.steps[right] - step) <= reach)
            enter(right++);
        while (left < right && static_cast<double>(step - finite.steps[left]) > reach)
            leave(left++);
    }
};

/// The weighted mean of a queue, computed without subtracting, so that values that have left the window leave no
/// rounding error behind. Uses two stacks, so each element is added to a total at most twice.
class QueueMean {
public:
    void push(double value, double weight)
    {
        m_incoming.push_back({value * weight, weight, value, value});
        m_incomingTotal = m_incoming.size() == 1 ? m_incoming.back() : join(m_incomingTotal, m_incoming.back());
    }
    void pop()
    {
        if (m_outgoing.empty()) {
            for (auto part = m_incoming.rbegin(); part != m_incoming.rend(); ++part)
                m_outgoing.push_back(m_outgoing.empty() ? *part : join(*part, m_outgoing.back()));
            m_incoming.clear();
        }
        m_outgoing.pop_back();
    }
    double mean() const
    {
        const Part total = m_outgoing.empty() ? m_incomingTotal
            : m_incoming.empty()              ? m_outgoing.back()
                                              : join(m_outgoing.back(), m_incomingTotal);
        return std::clamp(total.sum / total.weight, total.least, total.greatest);
    }

private:
    struct Part {
        double sum = 0;
        double weight = 0;
        double least = 0;
        double greatest = 0;
    };
    static Part join(const Part& a, const Part& b)
    {
        return {a.sum + b.sum, a.weight + b.weight, std::min(a.least, b.least),
            std::max(a.greatest, b.greatest)};
    }
    std::vector<Part> m_incoming;
    std::vector<Part> m_outgoing;  ///< each is the total of its element and all below it
    Part m_incomingTotal;
};

/// Weights indexed by the rank of their value, in a Fenwick tree. Gives the weighted median in logarithmic time;
/// weights are integers, so there is no rounding.
class RankedWeights {
public:
    explicit RankedWeights(std::span<const double> values)
        : m_sorted(values.begin(), values.end())
        , m_tree(values.size() + 1, 0)
    {
        std::sort(m_sorted.begin(), m_sorted.end());
        m_sorted.erase(std::unique(m_sorted.begin(), m_sorted.end()), m_sorted.end());
        while (m_top * 2 <= m_sorted.size())
            m_top *= 2;
    }
    std::size_t rankOf(double value) const
    {
        return static_cast<std::size_t>(
            std::lower_bound(m_sorted.begin(), m_sorted.end(), value) - m_sorted.begin());
    }
    void add(std::size_t rank, std::int64_t weight)
    {
        m_total += weight;
        for (std::size_t node = rank + 1; node <= m_sorted.size(); node += node & (~node + 1))
            m_tree[node] += weight;
    }
    double median() const
    {
        // The middle of an even total lies between two values: take their midpoint.
        return std::midpoint(valueAt((m_total + 1) / 2), valueAt(m_total / 2 + 1));
    }

private:
    /// The value of unit number @p position (from 1) of the total weight, in ascending order of values.
    double valueAt(std::int64_t position) const
    {
        std::size_t node = 0;
        for (std::size_t jump = m_top; jump > 0; jump /= 2) {
            if (node + jump <= m_sorted.size() && m_tree[node + jump] < position) {
                node += jump;
                position -= m_tree[node];
            }
        }
        return m_sorted[node];
    }
    std::vector<double> m_sorted;
    std::vector<std::int64_t> m_tree;
    std::int64_t m_total = 0;
    std::size_t m_top = 1;
};

/// Moves a window over the points from @p first on and returns @p at() for each finite point, NaN for the others.
/// @p enter and @p leave are called with the index of each finite point that the window gains or loses.
template<typename Enter, typename Leave, typename At>
std::vector<double> slide(std::span<const std::int64_t> steps, std::span<const double> values,
    std::size_t first, const Finite& finite, double reach, Enter enter, Leave leave, At at)
{
    Window window;
    std::vector<double> smoothed;
    smoothed.reserve(values.size() - first);
    for (std::size_t index = first; index < values.size(); ++index) {
        if (!std::isfinite(values[index])) {
            smoothed.push_back(kNone);
            continue;
        }
        window.moveTo(finite, steps[index], reach, enter, leave);
        smoothed.push_back(at());
    }
    return smoothed;
}

}  // namespace

std::vector<double> smoothByWindow(std::span<const std::int64_t> steps, std::span<const double> values,
    std::size_t first, const Smoothing& smoothing)
{
    const Finite finite = finitePoints(steps, values, first, smoothing);
    const double reach = smoothing.reach();
    if (smoothing.kind == Smoothing::Kind::RunningMean) {
        QueueMean queue;
        return slide(
            steps, values, first, finite, reach,
            [&](std::size_t index) {
                queue.push(finite.values[index], static_cast<double>(finite.weights[index]));
            },
            [&](std::size_t) { queue.pop(); },
            [&] { return queue.mean(); });
    }
    RankedWeights ranked(finite.values);
    std::vector<std::size_t> ranks(finite.values.size());
    std::transform(finite.values.begin(), finite.values.end(), ranks.begin(),
        [&](double value) { return ranked.rankOf(value); });
    return slide(
        steps, values, first, finite, reach,
        [&](std::size_t index) { ranked.add(ranks[index], finite.weights[index]); },
        [&](std::size_t index) { ranked.add(ranks[index], -finite.weights[index]); },
        [&] { return ranked.median(); });
}

}  // namespace ui
