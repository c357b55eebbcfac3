#include "ui/plot/lines/min_max_pyramid.h"

namespace ui {

MinMaxPyramid::MinMaxPyramid(Accepts accepts)
    : m_accepts(accepts)
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
                else if (accepts(values[part]))
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
        else if (accepts(values[part]))
            total.add(values[part]);
    };
    // At each level, add the blocks at both ends that do not fill a block of the next level; go on there.
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
