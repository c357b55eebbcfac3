// Answers minimum and maximum queries over any range of a growing series, in logarithmic time.
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

/// Does not hold the values: the caller passes the same series, which may have grown, to each call.
class MinMaxPyramid {
public:
    enum class Accepts {
        Finite,    ///< every finite value
        Positive,  ///< finite values > 0, which a logarithmic axis can show
    };
    explicit MinMaxPyramid(Accepts accepts = Accepts::Finite);

    bool accepts(double value) const
    {
        return std::isfinite(value) && (m_accepts == Accepts::Finite || value > 0);
    }

    /// Updates the pyramid after the values from index @p changedFrom on have changed or been added.
    void extend(std::span<const double> values, std::size_t changedFrom);

    /// Minimum and maximum of the accepted values with indexes in [first, last).
    MinMax range(std::span<const double> values, std::size_t first, std::size_t last) const;

private:
    static constexpr std::size_t kFactor = 8;
    Accepts m_accepts;
    std::vector<std::vector<MinMax>> m_levels;  ///< level n: blocks of kFactor^(n+1) values; complete blocks only
};

}  // namespace ui
