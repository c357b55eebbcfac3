// How the adapter "old", which samples for algorithms or regularises them, follows the one that trains (row E-099).
#pragma once
#include "engine/shard/unit_sequence.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace engine {

/// 0 before the warm-up's end, then rising to a limit.
struct OldAdapterSchedule {
    std::int64_t warmup = 0;  ///< steps
    double rate = 0;          ///< a step
    double most = 0;

    double decay(std::int64_t step) const;
};

/// "copy", "linear_to_0_5" or "delayed_linear_to_0_999". @throws EngineError WrongUsage naming those that are known.
OldAdapterSchedule oldAdapterSchedule(std::string_view name);

class OldAdapter {
public:
    /// @param decay in place of the schedule's
    /// @param interval in steps
    /// @throws EngineError WrongUsage for a decay that is not in [0, 1] or an interval below 1.
    OldAdapter(OldAdapterSchedule schedule, std::optional<double> decay, std::int64_t interval);

    enum class Kind { None, Copy, Average };
    struct Update {
        Kind kind = Kind::None;
        double decay = 0;
    };

    /// After the update of @p step, on every interval-th step. Collective; see averageAdapter().
    Update follow(UnitSequence& units, std::int64_t step) const;

private:
    OldAdapterSchedule m_schedule;
    std::optional<double> m_decay;
    std::int64_t m_interval;
};

}  // namespace engine
