#include "ui/plot/min_max_pyramid.h"

namespace ui {

MinMaxPyramid::MinMaxPyramid(Takes takes)
    : m_takes(takes)
{
}

void MinMaxPyramid::extend(std::span<const double> values, std::size_t changedFrom)
{
    std::size_t below = values.size();
    std::size_t changed = changedFrom;
    for (std::size_t level = 0; below >= kFactor; ++level) {
        if (level == m_levels.size())
            m_levels.emplace_back();
        changed /= kFactor;
        auto& blocks = m_levels[level];
        blocks.resize(std::min(blocks.size(), changed));
        const std::size_t complete = below / kFactor;
        for (std::size_t block = blocks.size(); block < complete; ++block) {
            MinMax total;
            for (std::size_t part = block * kFactor; part < (block + 1) * kFactor; ++part) {
                if (level > 0)
                    total.add(m_levels[level - 1][part]);
                else if (takes(values[part]))
                    total.add(values[part]);
            }
            blocks.push_back(total);
        }
        below = complete;
    }
}

MinMax MinMaxPyramid::range(std::span<const double> values, std::size_t first, std::size_t last) const
{
    MinMax total;
    const auto addPart = [&](std::size_t level, std::size_t part) {
        if (level > 0)
            total.add(m_levels[level - 1][part]);
        else if (takes(values[part]))
            total.add(values[part]);
    };
    // Take the ragged ends at each level, the whole blocks between them one level up.
    for (std::size_t level = 0; first < last; ++level) {
        const bool hasNext = level < m_levels.size();
        const std::size_t blocks = hasNext ? m_levels[level].size() : 0;
        const std::size_t nextFirst = (first + kFactor - 1) / kFactor;
        const std::size_t nextLast = std::min(last / kFactor, blocks);
        if (nextFirst >= nextLast) {
            for (; first < last; ++first)
                addPart(level, first);
            return total;
        }
        for (; first < nextFirst * kFactor; ++first)
            addPart(level, first);
        for (std::size_t part = nextLast * kFactor; part < last; ++part)
            addPart(level, part);
        first = nextFirst;
        last = nextLast;
    }
    return total;
}

}  // namespace ui
