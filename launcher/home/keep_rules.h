// Which checkpoints of a run are kept when disk is freed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace launcher {

struct KeepRules {
    std::optional<std::size_t> last;   ///< the latest of them
    std::optional<std::int64_t> every; ///< those whose step is a multiple of it
    std::string best;                  ///< the best by this metric; empty: none
    std::size_t bestCount = 1;
    bool isHighestBest = false;        ///< otherwise the lowest value is
};

/// What the rules look at.
struct CheckpointFacts {
    std::int64_t step = 0;
    bool isPinned = false;
    std::map<std::string, double> metrics;
};

/// The steps of the checkpoints that no rule keeps, ascending. Always kept are the latest, from which the run resumes, and pinned ones;
/// and all of them when none has the metric that decides. A value that is not a number is never the best.
/// @param checkpoints ascending by step
std::vector<std::int64_t> surplusCheckpoints(const std::vector<CheckpointFacts>& checkpoints, const KeepRules& rules);

}  // namespace launcher
