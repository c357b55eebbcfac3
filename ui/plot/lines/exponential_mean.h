// The exponential mean of a series that grows at its end. See [Note: smoothing].
#pragma once
#include <cstdint>

namespace ui {

class ExponentialMean {
public:
    /// @param halfLife in steps, > 0
    explicit ExponentialMean(double halfLife = 1)
        : m_halfLife(halfLife)
    {
    }

    /// Adds the next point. @return the mean with it; NaN for a @p value that is not finite, which changes nothing.
    double add(std::int64_t step, double value);

private:
    double m_halfLife;
    std::int64_t m_finite = 0;  ///< how many values it is the mean of
    double m_mean = 0;
    double m_weight = 0;
    std::int64_t m_lastStep = 0;  ///< of the last finite value
};

}  // namespace ui
