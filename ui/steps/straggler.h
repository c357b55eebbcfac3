// Finds the rank that the others wait for.
#pragma once
#include "ui/steps/step_times.h"

#include <optional>
#include <vector>

namespace ui {

/// Means over a rank's last steps, in milliseconds.
struct RankLoad {
    int rank = 0;
    double computing = 0;  ///< a step's time without waiting
    double waiting = 0;    ///< for other ranks
    std::size_t steps = 0;  ///< how many
};

/// Of the last @p steps steps that each rank has recorded; ranks without both times are left out.
std::vector<RankLoad> rankLoads(const StepTimes& times, std::size_t steps);

struct Straggler {
    int rank = 0;
    double excess = 0;     ///< how much longer it computes than the median rank, as a share of that
    double waitingMs = 0;  ///< of the other ranks in a step: their median
    std::size_t steps = 0;  ///< that this is about: of the rank that has recorded the fewest
};

/// The rank that computes longest, when that is at least a tenth longer than the median rank; nullopt: all take about equally long, or
/// there are fewer than two. Of an even number of ranks the lower median counts: of two ranks, the faster.
std::optional<Straggler> findStraggler(std::vector<RankLoad> ranks);

}  // namespace ui
