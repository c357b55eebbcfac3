// Least and greatest value of any stretch of a growing series, in logarithmic time.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace ui {

struct MinMax {
    double minimum = std::numeric_limits<double>::infinity();
    double maximum = -std::numeric_limits<double>::infinity();

    bool isEmpty() const { return minimum > maximum; }
    void add(double value)
    {
        minimum = std::min(minimum, value);
        maximum = std::max(maximum, value);
    }
    void add(const MinMax& other)
    {
        minimum = std::min(minimum, other.minimum);
        maximum = std::max(maximum, other.maximum);
    }
};

/// The values themselves stay with the caller, who passes the same (grown) series each time.
class MinMaxPyramid {
public:
    enum class Takes {
        Finite,    ///< every finite value
        Positive,  ///< what a logarithmic axis can show
    };
    explicit MinMaxPyramid(Takes takes = Takes::Finite);

    bool takes(double value) const
    {
        return std::isfinite(value) && (m_takes == Takes::Finite || value > 0);
    }

    /// Rebuilds from @p changedFrom on, up to the end of @p values.
    void extend(std::span<const double> values, std::size_t changedFrom);

    /// Of values [first, last).
    MinMax range(std::span<const double> values, std::size_t first, std::size_t last) const;

private:
    static constexpr std::size_t kFactor = 8;
    Takes m_takes;
    std::vector<std::vector<MinMax>> m_levels;  ///< level n: of kFactor^(n+1) values each, complete ones only
};

}  // namespace ui
