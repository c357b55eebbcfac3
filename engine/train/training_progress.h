// Counters of a training run, which a resume needs besides tensors.
#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace engine {

/// A skipped step (one with non-finite gradients) advances only step, skippedSteps and samplesSeen.
struct TrainingProgress {
    std::int64_t step = 0;           ///< steps attempted
    std::int64_t appliedSteps = 0;   ///< optimizer updates
    std::int64_t skippedSteps = 0;
    std::int64_t scheduleSteps = 0;  ///< of the learning rate; below appliedSteps where one update has several optimizer steps
    std::int64_t samplesSeen = 0;    ///< by all ranks; the data order continues from here

    std::map<std::string, std::string> toState() const;
    /// Without an entry for scheduleSteps, as in older checkpoints, it equals appliedSteps.
    /// @throws EngineError BadCheckpoint naming the entry that is missing.
    static TrainingProgress fromState(const std::map<std::string, std::string>& state);
};

}  // namespace engine
