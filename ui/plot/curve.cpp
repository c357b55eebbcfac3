#include "ui/plot/lines/curve.h"

#include <algorithm>
#include <cmath>

namespace ui {

void Curve::replaceFrom(std::size_t from, std::span<const double> values)
{
    const bool hadNotPositive = !m_notPositive.empty();
    const auto cut = [from](std::vector<std::size_t>& indexes) {
        indexes.erase(std::lower_bound(indexes.begin(), indexes.end(), from), indexes.end());
    };
    cut(m_nonFinite);
    cut(m_notPositive);
    m_values.resize(from);
    m_values.insert(m_values.end(), values.begin(), values.end());
    for (std::size_t index = from; index < m_values.size(); ++index) {
        if (!std::isfinite(m_values[index]))
            m_nonFinite.push_back(index);
        else if (m_values[index] <= 0)
            m_notPositive.push_back(index);
    }
    m_finite.extend(m_values, from);
    if (!m_notPositive.empty())
        m_positive.extend(m_values, hadNotPositive ? from : 0);
}

MinMax Curve::finiteRange(std::size_t first, std::size_t last) const
{
    return m_finite.range(m_values, first, last);
}

MinMax Curve::positiveRange(std::size_t first, std::size_t last) const
{
    return (m_notPositive.empty() ? m_finite : m_positive).range(m_values, first, last);
}

std::size_t countIn(std::span<const std::size_t> indexes, std::size_t first, std::size_t last)
{
    return static_cast<std::size_t>(std::lower_bound(indexes.begin(), indexes.end(), last)
        - std::lower_bound(indexes.begin(), indexes.end(), first));
}

}  // namespace ui
