// Compares values that may be missing or not finite. NaN compares false with everything, itself too: as a sort key it
// leaves the other rows unsorted, and as a cell's value it looks changed each time.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace ui {

/// A key with a total order: numbers ascending, then infinity and NaN, then missing values.
inline double sortKeyOf(std::optional<double> value)
{
    constexpr double kGreatest = std::numeric_limits<double>::max();
    if (!value)
        return std::numeric_limits<double>::infinity();
    return std::isnan(*value) ? kGreatest : std::min(*value, kGreatest);
}

/// True also for two NaNs.
inline bool isSameNumber(std::optional<double> a, std::optional<double> b)
{
    return a == b || (a && b && std::isnan(*a) && std::isnan(*b));
}

}  // namespace ui
