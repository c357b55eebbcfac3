// Learning-rate schedules as factors of the peak rate.
#pragma once
#include <cstdint>
#include <string>

namespace engine {

struct Schedule {
    bool isCosine = false;
    std::int64_t warmupSteps = 0;
    std::int64_t totalSteps = 1;
    double minRatio = 0;  ///< cosine: factor at totalSteps

    /// @param appliedSteps so far; 0 before the first: with a warm-up its factor is 0 (rows E-179 to E-182).
    double factor(std::int64_t appliedSteps) const;
};

}  // namespace engine
