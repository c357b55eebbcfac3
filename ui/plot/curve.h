// The y values of one line, which only grows at its end while a run is live.
#pragma once
#include "ui/plot/lines/min_max_pyramid.h"

#include <cstddef>
#include <span>
#include <vector>

namespace ui {

/// Values with the indexes and range queries that drawing needs. The owner keeps the x values.
class Curve {
public:
    /// Replaces all values from index @p from on by @p values.
    void replaceFrom(std::size_t from, std::span<const double> values);

    std::span<const double> values() const { return m_values; }
    std::size_t size() const { return m_values.size(); }
    bool isEmpty() const { return m_values.empty(); }

    /// The indexes of the NaN and infinite values, ascending.
    std::span<const std::size_t> nonFinite() const { return m_nonFinite; }
    /// The indexes of the finite values ≤ 0, which a logarithmic axis cannot show, ascending.
    std::span<const std::size_t> notPositive() const { return m_notPositive; }

    /// Minimum and maximum of the finite (or positive) values with indexes in [first, last).
    MinMax finiteRange(std::size_t first, std::size_t last) const;
    MinMax positiveRange(std::size_t first, std::size_t last) const;

private:
    std::vector<double> m_values;
    std::vector<std::size_t> m_nonFinite;
    std::vector<std::size_t> m_notPositive;
    MinMaxPyramid m_finite { MinMaxPyramid::Accepts::Finite };
    MinMaxPyramid m_positive { MinMaxPyramid::Accepts::Positive };  ///< built only when there are values ≤ 0
};

/// How many of the ascending @p indexes are in [first, last).
std::size_t countIn(std::span<const std::size_t> indexes, std::size_t first, std::size_t last);

}  // namespace ui
