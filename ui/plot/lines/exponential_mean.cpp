#include "ui/plot/lines/exponential_mean.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ui {

double ExponentialMean::add(std::int64_t step, double value)
{
    if (!std::isfinite(value))
        return std::numeric_limits<double>::quiet_NaN();
    if (m_finite == 0) {
        m_mean = value;
    } else {
        const auto passed = static_cast<double>(std::max<std::int64_t>(1, step - m_lastStep));
        const double kept = std::exp2(-passed / m_halfLife);
        if (m_finite == 1)
            m_weight = 1 - kept;
        m_weight = kept * m_weight + (1 - kept);
        const double next = m_mean + (value - m_mean) * ((1 - kept) / m_weight);
        m_mean = std::clamp(next, std::min(m_mean, value), std::max(m_mean, value));
    }
    ++m_finite;
    m_lastStep = step;
    return m_mean;
}

}  // namespace ui
