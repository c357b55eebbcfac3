#include "engine/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace engine {

double Schedule::factor(std::int64_t appliedSteps) const
{
    const auto step = static_cast<double>(appliedSteps);
    const auto warmup = static_cast<double>(warmupSteps);
    if (appliedSteps < warmupSteps)
        return step / std::max(1.0, warmup);
    if (!isCosine)
        return 1;
    const double progress
        = (step - warmup) / std::max(1.0, static_cast<double>(totalSteps) - warmup);
    const double wave = std::cos(std::numbers::pi * progress);
    return std::max(minRatio, wave * (1 - minRatio) / 2 + (1 + minRatio) / 2);
}

}  // namespace engine
