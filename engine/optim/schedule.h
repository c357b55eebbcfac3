// Learning-rate schedules, as factors of the peak learning rate.
#pragma once
#include "engine/contract/experiment/experiment.h"

#include <cstdint>

namespace engine {

/// Rows E-179 to E-182; linear and WSD as in Hägele et al., "Scaling laws and compute-optimal training beyond
/// fixed training durations" (2024): warm-up, stable, decay.
struct Schedule {
    enum class Shape { Constant, Cosine, Linear, Wsd };

    Shape shape = Shape::Constant;
    std::int64_t warmupSteps = 0;
    std::int64_t totalSteps = 1;
    double minRatio = 0;         ///< factor at the end of the decay
    double initialRatio = 0;     ///< factor at the start of the warm-up
    double cycles = 0.5;         ///< number of cosine cycles; 0.5 decays once
    std::int64_t decaySteps = 0; ///< WSD: number of last steps, which decay linearly
    bool isZeroIndexed = true;   ///< whether the first step counts as 0; else as 1 (row E-180)

    /// Returns the factor for the next step. @param steps schedule steps taken so far; 0 for the first step, whose factor is 0
    /// with a warm-up from 0
    double factor(std::int64_t steps) const;
};

/// With policy.schedule_by_round, steps of the schedule are rounds.
Schedule scheduleOf(const contract::Experiment& experiment);

}  // namespace engine
