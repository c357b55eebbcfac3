// How far a training is: what a resume needs besides tensors.
#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace engine {

/// A skipped step, one whose gradients are not finite, advances step and samplesSeen alone.
struct TrainingProgress {
    std::int64_t step = 0;           ///< attempted
    std::int64_t appliedSteps = 0;   ///< optimizer steps
    std::int64_t skippedSteps = 0;
    std::int64_t scheduleSteps = 0;  ///< of the learning rate: fewer than applied where an update has several
    std::int64_t samplesSeen = 0;    ///< by all ranks: where the data go on

    std::map<std::string, std::string> toState() const;
    /// States that do not count the schedule's steps took one with each applied step.
    /// @throws EngineError BadCheckpoint naming what is missing.
    static TrainingProgress fromState(const std::map<std::string, std::string>& state);
};

}  // namespace engine
