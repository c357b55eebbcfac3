// Learning-rate schedules as factors of the peak rate.
#pragma once
#include "engine/contract/experiment.h"

#include <cstdint>

namespace engine {

/// Rows E-179 to E-182; linear and WSD as in Hägele et al., "Scaling laws and compute-optimal training beyond
/// fixed training durations" (2024): warm-up, stable, decay.
struct Schedule {
    enum class Shape { Constant, Cosine, Linear, Wsd };

    Shape shape = Shape::Constant;
    std::int64_t warmupSteps = 0;
    std::int64_t totalSteps = 1;
    double minRatio = 0;         ///< factor at the end of what falls
    double initialRatio = 0;     ///< factor that the warm-up begins with
    double cycles = 0.5;         ///< of the cosine; half a cycle falls once
    std::int64_t decaySteps = 0; ///< WSD: the last ones, which fall linearly
    bool isZeroIndexed = true;   ///< otherwise the first step is number 1 (row E-180)

    /// @param steps that the rate has gone on so far; 0 at first: with a warm-up from 0 its factor is 0.
    double factor(std::int64_t steps) const;
};

Schedule scheduleOf(const contract::Experiment& experiment);

}  // namespace engine
