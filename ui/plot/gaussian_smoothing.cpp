#include "ui/plot/lines/gaussian_smoothing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ui {

GaussianMean::GaussianMean(double width, double reach)
    : m_kernel(static_cast<std::size_t>(reach) + 1)
{
    for (std::size_t distance = 0; distance < m_kernel.size(); ++distance) {
        const double deviations = static_cast<double>(distance) / width;
        m_kernel[distance] = std::exp(-deviations * deviations / 2);
    }
}

void GaussianMean::Recent::add(double term, const Recent& other)
{
    const double share = term * other.weight;
    sum += share * other.value;
    totalWeight += share;
    least = std::min(least, other.value);
    greatest = std::max(greatest, other.value);
}

double GaussianMean::Recent::mean() const
{
    return std::clamp(sum / totalWeight, least, greatest);
}

std::size_t GaussianMean::extend(
    std::span<const std::int64_t> steps, std::span<const double> values, std::vector<double>& smoothed)
{
    std::size_t changed = smoothed.size();
    bool isFirst = true;
    for (std::size_t index = smoothed.size(); index < values.size(); ++index) {
        smoothed.push_back(std::numeric_limits<double>::quiet_NaN());
        if (!std::isfinite(values[index]))
            continue;
        drop(steps[index], smoothed);
        if (std::exchange(isFirst, false) && m_first < m_recent.size())
            changed = std::min(changed, m_recent[m_first].index);
        add(index, steps[index], values[index]);
    }
    for (std::size_t at = m_first; at < m_recent.size() && changed < smoothed.size(); ++at)
        smoothed[m_recent[at].index] = m_recent[at].mean();
    return changed;
}

/// Lets go of the points that are out of reach of @p step; their means are final.
void GaussianMean::drop(std::int64_t step, std::vector<double>& smoothed)
{
    const auto reach = static_cast<std::int64_t>(m_kernel.size()) - 1;
    for (; m_first < m_recent.size() && step - m_recent[m_first].step > reach; ++m_first)
        smoothed[m_recent[m_first].index] = m_recent[m_first].mean();
    if (m_first * 2 <= m_recent.size())
        return;
    m_recent.erase(m_recent.begin(), m_recent.begin() + static_cast<std::ptrdiff_t>(m_first));
    m_first = 0;
}

// Every mean adds its terms in the order of the steps, so it does not depend on how many points came at a time.
void GaussianMean::add(std::size_t index, std::int64_t step, double value)
{
    const auto limit = static_cast<std::int64_t>(std::max<std::size_t>(1, 2 * (m_kernel.size() - 1)));
    Recent point {.step = step, .value = value, .weight = 1, .index = index, .sum = 0, .totalWeight = 0,
        .least = value, .greatest = value};
    if (m_finite > 0)
        point.weight = static_cast<double>(std::clamp<std::int64_t>(step - m_lastStep, 1, limit));
    if (m_finite == 1 && m_first < m_recent.size()) {
        // The first point of the series has the weight of the second.
        Recent& first = m_recent[m_first];
        first.weight = point.weight;
        first.sum = first.totalWeight = 0;
        first.add(m_kernel[0], first);
    }
    for (std::size_t at = m_first; at < m_recent.size(); ++at) {
        Recent& other = m_recent[at];
        const double term = m_kernel[static_cast<std::size_t>(step - other.step)];
        other.add(term, point);
        point.add(term, other);
    }
    point.add(m_kernel[0], point);
    m_recent.push_back(point);
    ++m_finite;
    m_lastStep = step;
}

}  // namespace ui
