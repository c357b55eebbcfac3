#include "ui/plot/lines/smoothing.h"

#include "ui/plot/lines/window_smoothing.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ui {

double Smoothing::reach() const
{
    switch (kind) {
    case Kind::Off:
    case Kind::Exponential:
        return 0;
    case Kind::Gaussian:
        return std::ceil(width * 4);  // farther points have less than 1/3000 of the centre's weight
    case Kind::RunningMean:
    case Kind::RunningMedian:
        return width / 2;
    }
    return 0;
}

Smoother::Smoother(const Smoothing& smoothing)
    : m_smoothing(smoothing)
    , m_exponential(smoothing.width)
{
    if (smoothing.kind == Smoothing::Kind::Gaussian)
        m_gaussian.emplace(smoothing.width, smoothing.reach());
}

Smoother::Smoother(const Smoothing& smoothing, std::vector<double> values, const ExponentialMean& mean)
    : m_smoothing(smoothing)
    , m_values(std::move(values))
    , m_exponential(mean)
{
}

std::size_t Smoother::firstInReach(std::span<const std::int64_t> steps) const
{
    const std::size_t known = m_values.size();
    const auto from = std::lower_bound(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(known),
        static_cast<double>(steps[known]) - m_smoothing.reach(),
        [](std::int64_t step, double limit) { return static_cast<double>(step) < limit; });
    return static_cast<std::size_t>(from - steps.begin());
}

std::size_t Smoother::termsToAdd(std::span<const std::int64_t> steps) const
{
    const std::size_t known = m_values.size();
    if (m_smoothing.kind == Smoothing::Kind::Off || known >= steps.size())
        return 0;
    const std::size_t fresh = steps.size() - known;
    if (m_smoothing.kind == Smoothing::Kind::Exponential)
        return fresh;
    const std::size_t inReach = known - firstInReach(steps);
    if (m_smoothing.kind == Smoothing::Kind::Gaussian)
        return fresh * std::min(inReach + fresh, static_cast<std::size_t>(m_smoothing.reach()) + 1);
    constexpr std::size_t kTermsPerPoint = 20;  // a search tree's height
    return (2 * inReach + fresh) * kTermsPerPoint;
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
    if (m_gaussian)
        return m_gaussian->extend(steps, values, m_values);
    // The points just before the new ones have more neighbours now. The second point determines the weight of the
    // first, and with it the values near the beginning.
    const std::size_t first = known < 2 ? 0 : firstInReach(steps);
    const auto fresh = smoothByWindow(steps, values, first, m_smoothing);
    m_values.resize(first);
    m_values.insert(m_values.end(), fresh.begin(), fresh.end());
    return first;
}

void Smoother::extendExponential(std::span<const std::int64_t> steps, std::span<const double> values)
{
    m_values.reserve(values.size());
    for (std::size_t index = m_values.size(); index < values.size(); ++index)
        m_values.push_back(m_exponential.add(steps[index], values[index]));
}

}  // namespace ui
