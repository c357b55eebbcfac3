#include "ui/steps/step_bins.h"

#include <algorithm>
#include <cmath>

namespace ui {

void StepBins::Bin::add(const Bin& other)
{
    sum += other.sum;
    highest = std::max(highest, other.highest);
    count += other.count;
}

void StepBins::extend(const LinePoints& points)
{
    for (; m_points < points.size(); ++m_points) {
        const std::int64_t step = points.steps()[m_points], bin = step / m_width;
        if (m_bins.empty()) {
            m_first = bin;
            m_firstStep = step;
        }
        m_lastStep = step;
        const auto place = static_cast<std::size_t>(bin - m_first);
        if (place >= m_bins.size()) {
            // A run that goes on is far from its first step: gaps must not cost memory.
            if (place > 4096) {
                widen(2 * m_width);
                --m_points;
                continue;
            }
            m_bins.resize(place + 1);
        }
        if (const double value = points.raw().values()[m_points]; std::isfinite(value))
            m_bins[place].add({value, value, 1});
    }
}

std::int64_t StepBins::neededWidth(std::int64_t most) const
{
    if (m_bins.empty())
        return 1;
    const std::int64_t distance = m_points > 1 ? (m_lastStep - m_firstStep) / static_cast<std::int64_t>(m_points - 1) : 1;
    std::int64_t width = m_width;
    while (width < distance || m_lastStep / width - m_firstStep / width >= most)
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
