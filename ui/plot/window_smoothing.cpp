#include "ui/plot/window_smoothing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ui {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// The finite points that can matter, with the steps each stands for.
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
    // Back to the first point in reach, and one finite point more, from which that one's weight counts.
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
    // The first one of the series stands for as many steps as the second. (When begin > 0 the first one here
    // is out of reach and its weight is never used.)
    if (finite.weights.size() > 1)
        finite.weights[0] = finite.weights[1];
    return finite;
}

/// Slides over finite points; [left, right) are within reach of the point asked for.
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

double gaussianAt(const Finite& finite, const Window& window, std::int64_t step, std::span<const double> kernel)
{
    double sum = 0;
    double weight = 0;
    double least = std::numeric_limits<double>::infinity();
    double greatest = -least;
    for (std::size_t index = window.left; index < window.right; ++index) {
        const auto distance = static_cast<std::size_t>(std::abs(finite.steps[index] - step));
        const double share = kernel[distance] * static_cast<double>(finite.weights[index]);
        sum += share * finite.values[index];
        weight += share;
        least = std::min(least, finite.values[index]);
        greatest = std::max(greatest, finite.values[index]);
    }
    return std::clamp(sum / weight, least, greatest);
}

/// Sum, weight, least and greatest of a queue without ever subtracting: what leaves the window must not
/// leave its rounding behind. Two stacks; each element is pushed and folded over at most twice.
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
    std::vector<Part> m_outgoing;  ///< each the total of itself and everything under it in the queue's order
    Part m_incomingTotal;
};

/// Weights by rank of value, as a Fenwick tree: the weighted median in logarithmic time, in whole numbers.
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
    /// The value that the @p position-th unit of weight carries, from 1.
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

/// Calls @p at(window) for every finite point from @p first on and keeps its answers.
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
        smoothed.push_back(at(window, steps[index]));
    }
    return smoothed;
}

}  // namespace

std::vector<double> smoothByWindow(std::span<const std::int64_t> steps, std::span<const double> values,
    std::size_t first, const Smoothing& smoothing)
{
    const Finite finite = finitePoints(steps, values, first, smoothing);
    const double reach = smoothing.reach();
    const auto ignore = [](std::size_t) {};

    if (smoothing.kind == Smoothing::Kind::Gaussian) {
        std::vector<double> kernel(static_cast<std::size_t>(reach) + 1);
        for (std::size_t distance = 0; distance < kernel.size(); ++distance) {
            const double deviations = static_cast<double>(distance) / smoothing.width;
            kernel[distance] = std::exp(-deviations * deviations / 2);
        }
        return slide(steps, values, first, finite, reach, ignore, ignore,
            [&](const Window& window, std::int64_t step) { return gaussianAt(finite, window, step, kernel); });
    }
    if (smoothing.kind == Smoothing::Kind::RunningMean) {
        QueueMean queue;
        return slide(
            steps, values, first, finite, reach,
            [&](std::size_t index) {
                queue.push(finite.values[index], static_cast<double>(finite.weights[index]));
            },
            [&](std::size_t) { queue.pop(); },
            [&](const Window&, std::int64_t) { return queue.mean(); });
    }
    RankedWeights ranked(finite.values);
    std::vector<std::size_t> ranks(finite.values.size());
    std::transform(finite.values.begin(), finite.values.end(), ranks.begin(),
        [&](double value) { return ranked.rankOf(value); });
    return slide(
        steps, values, first, finite, reach,
        [&](std::size_t index) { ranked.add(ranks[index], finite.weights[index]); },
        [&](std::size_t index) { ranked.add(ranks[index], -finite.weights[index]); },
        [&](const Window&, std::int64_t) { return ranked.median(); });
}

}  // namespace ui
