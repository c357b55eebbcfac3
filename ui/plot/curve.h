// One growing row of values beside its x's: what is drawn as one line.
#pragma once
#include "ui/plot/min_max_pyramid.h"

#include <cstddef>
#include <span>
#include <vector>

namespace ui {

/// Values with all that drawing asks about them. Its x's are kept by the owner.
class Curve {
public:
    /// Replaces everything from @p from on by @p values.
    void replaceFrom(std::size_t from, std::span<const double> values);

    std::span<const double> values() const { return m_values; }
    std::size_t size() const { return m_values.size(); }
    bool isEmpty() const { return m_values.empty(); }

    /// Ascending indexes of what is NaN or infinite.
    std::span<const std::size_t> nonFinite() const { return m_nonFinite; }
    /// Ascending indexes of what is finite and at most 0: not on a logarithmic axis.
    std::span<const std::size_t> notPositive() const { return m_notPositive; }

    MinMax finiteRange(std::size_t first, std::size_t last) const;
    MinMax positiveRange(std::size_t first, std::size_t last) const;

private:
    std::vector<double> m_values;
    std::vector<std::size_t> m_nonFinite;
    std::vector<std::size_t> m_notPositive;
    MinMaxPyramid m_finite { MinMaxPyramid::Takes::Finite };
    MinMaxPyramid m_positive { MinMaxPyramid::Takes::Positive };  ///< only kept when it differs
};

/// How many of ascending @p indexes lie in [first, last).
std::size_t countIn(std::span<const std::size_t> indexes, std::size_t first, std::size_t last);

}  // namespace ui
