#include "ui/steps/step_bins.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr std::int64_t kMostHeld = 4096;  ///< bins

}  // namespace

double binUnit(XAxis axis)
{
    switch (axis) {
    case XAxis::Step:
    case XAxis::Samples:
        break;
    case XAxis::Epochs:
        return 0x1p-20;
    case XAxis::ActiveTime:
    case XAxis::WallTime:
        return 0x1p-10;
    }
    return 1;
}

std::int64_t binAt(double x, std::int64_t width, XAxis axis)
{
    return static_cast<std::int64_t>(std::floor(x / (static_cast<double>(width) * binUnit(axis))));
}

void StepBins::Bin::add(const Bin& other)
{
    sum += other.sum;
    highest = std::max(highest, other.highest);
    count += other.count;
}

std::size_t StepBins::extend(const LinePoints& points, std::size_t most)
{
    const std::size_t before = m_points, past = before + std::min(most, points.size() - before);
    for (; m_points < past; ++m_points) {
        const auto unit = binAt(points.x(m_points, m_axis), 1, m_axis);
        if (m_bins.empty()) {
            m_first = unit / m_width;
            m_lowest = m_highest = unit;
        }
        m_lowest = std::min(m_lowest, unit);  // wall time goes back where a clock was set back
        m_highest = std::max(m_highest, unit);
        // A run that goes on is far from its first step: gaps must not cost memory.
        while (m_highest / m_width - m_lowest / m_width > kMostHeld)
            widen(2 * m_width);
        const std::int64_t bin = unit / m_width;
        if (bin < m_first) {
            m_bins.insert(m_bins.begin(), static_cast<std::size_t>(m_first - bin), Bin());
            m_first = bin;
        }
        const auto place = static_cast<std::size_t>(bin - m_first);
        m_bins.resize(std::max(m_bins.size(), place + 1));
        if (const double value = points.raw().values()[m_points]; std::isfinite(value))
            m_bins[place].add({value, value, 1});
    }
    return past - before;
}

std::int64_t StepBins::neededWidth(std::int64_t most) const
{
    if (m_bins.empty())
        return 1;
    const std::int64_t distance = m_points > 1 ? (m_highest - m_lowest) / static_cast<std::int64_t>(m_points - 1) : 1;
    std::int64_t width = m_width;
    while (width < distance || m_highest / width - m_lowest / width >= most)
        width *= 2;
    return width;
}

void StepBins::widen(std::int64_t width)
{
    while (m_width < width) {
        std::vector<Bin> merged;
        const std::int64_t first = m_first / 2;
        for (std::size_t i = 0; i < m_bins.size(); ++i) {
            const auto place = static_cast<std::size_t>((m_first + static_cast<std::int64_t>(i)) / 2 - first);
            merged.resize(std::max(merged.size(), place + 1));
            merged[place].add(m_bins[i]);
        }
        m_bins = std::move(merged);
        m_first = first;
        m_width *= 2;
    }
}

StepBins::Bin StepBins::at(std::int64_t bin) const
{
    const std::int64_t place = bin - m_first;
    return place >= 0 && place < static_cast<std::int64_t>(m_bins.size()) ? m_bins[static_cast<std::size_t>(place)] : Bin();
}

}  // namespace ui
