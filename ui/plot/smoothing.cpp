#include "ui/plot/smoothing.h"

#include "ui/plot/window_smoothing.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ui {

double Smoothing::reach() const
{
    switch (kind) {
    case Kind::Off:
    case Kind::Exponential:
        return 0;
    case Kind::Gaussian:
        return std::ceil(width * 4);  // what lies farther out weighs less than 1 in 3,000
    case Kind::RunningMean:
    case Kind::RunningMedian:
        return width / 2;
    }
    return 0;
}

Smoother::Smoother(const Smoothing& smoothing)
    : m_smoothing(smoothing)
{
}

std::size_t Smoother::extend(std::span<const std::int64_t> steps, std::span<const double> values)
{
    const std::size_t known = m_values.size();
    if (m_smoothing.kind == Smoothing::Kind::Off || known >= values.size())
        return values.size();
    if (m_smoothing.kind == Smoothing::Kind::Exponential) {
        extendExponential(steps, values);
        return known;
    }
    // Points just before the new ones now have more neighbours. The second point decides what the first
    // stands for, and with it everything near the beginning.
    const auto from = std::lower_bound(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(known),
        static_cast<double>(steps[known]) - m_smoothing.reach(),
        [](std::int64_t step, double limit) { return static_cast<double>(step) < limit; });
    const std::size_t first = known < 2 ? 0 : static_cast<std::size_t>(from - steps.begin());
    const auto fresh = smoothByWindow(steps, values, first, m_smoothing);
    m_values.resize(first);
    m_values.insert(m_values.end(), fresh.begin(), fresh.end());
    return first;
}

void Smoother::extendExponential(std::span<const std::int64_t> steps, std::span<const double> values)
{
    m_values.reserve(values.size());
    for (std::size_t index = m_values.size(); index < values.size(); ++index) {
        if (!std::isfinite(values[index])) {
            m_values.push_back(std::numeric_limits<double>::quiet_NaN());
            continue;
        }
        if (m_finite == 0) {
            m_mean = values[index];
        } else {
            const auto passed = static_cast<double>(std::max<std::int64_t>(1, steps[index] - m_lastStep));
            const double kept = std::exp2(-passed / m_smoothing.width);
            if (m_finite == 1)
                m_weight = 1 - kept;
            m_weight = kept * m_weight + (1 - kept);
            const double next = m_mean + (values[index] - m_mean) * ((1 - kept) / m_weight);
            m_mean = std::clamp(next, std::min(m_mean, values[index]), std::max(m_mean, values[index]));
        }
        ++m_finite;
        m_lastStep = steps[index];
        m_values.push_back(m_mean);
    }
}

}  // namespace ui
