// How the old policy's weights, which algorithms sample from or regularize with, follow those that train (row E-099).
#pragma once
#include "engine/shard/unit_sequence.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace engine {

/// The decay of the average as a function of the step: 0 during warm-up, then rising linearly to a limit.
struct OldPolicySchedule {
    std::int64_t warmup = 0;  ///< steps
    double ratePerStep = 0;
    double maxDecay = 0;

    double decay(std::int64_t step) const;
};

/// @param name "copy", "linear_to_0_3" (DGPO's, row A-145), "linear_to_0_5" or "delayed_linear_to_0_999". @throws EngineError WrongUsage for another name.
OldPolicySchedule oldPolicySchedule(std::string_view name);

class OldPolicy {
public:
    /// @param decay a constant decay that replaces the schedule's, or nullopt
    /// @param interval steps between updates
    /// @throws EngineError WrongUsage for a decay outside [0, 1] or an interval below 1.
    OldPolicy(OldPolicySchedule schedule, std::optional<double> decay, std::int64_t interval);

    enum class Kind { None, Copy, Average };
    struct Update {
        Kind kind = Kind::None;
        double decay = 0;
    };

    /// What follow() does after the update of @p step.
    Update updateAfter(std::int64_t step) const;

    /// Updates the old weights on every interval-th step, and returns what it did. Called after the update of @p step, by all
    /// ranks; see averageOld().
    Update follow(UnitSequence& units, std::int64_t step) const;

private:
    OldPolicySchedule m_schedule;
    std::optional<double> m_decay;
    std::int64_t m_interval;
};

}  // namespace engine
