// How long a run may write no record before it counts as stalled.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>

namespace launcher {

/// The larger of @p stallAfterSeconds and ten median steps.
inline std::chrono::milliseconds stallLimit(std::int64_t stallAfterSeconds, double medianStepMs)
{
    constexpr double kSteps = 10;
    const auto ofSteps = static_cast<std::int64_t>(kSteps * medianStepMs);
    return std::chrono::milliseconds(std::max(stallAfterSeconds * 1000, ofSteps));
}

}  // namespace launcher
