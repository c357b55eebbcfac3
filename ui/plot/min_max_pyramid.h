// Least and greatest value of any stretch of a growing series, in logarithmic time.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace ui {

struct MinMax {
    double minimum = 0;
    double maximum = 0;
    bool isEmpty = true;

    void add(double value);
    void add(const MinMax& other);
};

/// The values themselves stay with the caller, who passes the same (grown) series each time.
class MinMaxPyramid {
public:
    enum class Takes {
        Finite,    ///< every finite value
        Positive,  ///< what a logarithmic axis can show
    };
    explicit MinMaxPyramid(Takes takes = Takes::Finite);

    bool takes(double value) const;

    /// Rebuilds from @p changedFrom on, up to the end of @p values.
    void extend(std::span<const double> values, std::size_t changedFrom);

    /// Of values [first, last).
    MinMax range(std::span<const double> values, std::size_t first, std::size_t last) const;

private:
    static constexpr std::size_t kFactor = 16;
    Takes m_takes;
    std::vector<std::vector<MinMax>> m_levels;  ///< level n: of kFactor^(n+1) values each, complete ones only
};

}  // namespace ui
