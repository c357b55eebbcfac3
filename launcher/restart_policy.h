// Decides whether ranks that have failed are started again.
//
// [Note: restarts]
// With launch.restarts = N the supervisor starts ranks again that died or hang: as another attempt of the run, from its latest whole
// checkpoint, or from the beginning when there is none. Counted are failures in a row without progress: an attempt has made
// progress when the next one can begin from a later checkpoint than it did itself. So a run of weeks survives any number of
// failures, and one that cannot get further ends after N. The first restart of a count comes at once, the next ones after 2, 8, 32
// and then always 60 s. Some failures would only repeat themselves and end the run at once, with their cause:
//   - wrong usage, a bad checkpoint and a worker program that cannot be executed,
//   - an error of a rank's own before the first step of all, such as a wrong path: not a signal, a lost peer or a timeout,
//   - the same failure at the same step as in the attempt before, without progress in between.
// A run that was asked to stop is never started again.
#pragma once
#include "launcher/ranks/rank_exit.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace launcher {

/// Why an attempt ended.
struct AttemptFailure {
    std::string kind;       ///< equal for the same failure, whichever rank it was and at whatever step: "signal 9"
    std::int64_t step = 0;  ///< 0: before the first step
    bool isLasting = false;        ///< it would be the same with any later attempt
    bool isOwnError = false;       ///< a rank's own error, in contrast to a signal, a lost peer, a timeout or a hang
};

/// @param exit the one that caused the others
AttemptFailure failureOf(const RankExit& exit);
/// No rank has written for too long.
AttemptFailure hangAt(std::int64_t step);

class RestartPolicy {
public:
    /// @param most launch.restarts
    explicit RestartPolicy(std::int64_t most = 0)
        : m_most(most)
    {
    }

    std::int64_t most() const { return m_most; }

    struct Verdict {
        std::int64_t number = 0;             ///< of the restart that follows, from 1; 0: the run ends
        std::chrono::milliseconds pause {};  ///< before it
        std::string refusal;                 ///< "the same happened in the attempt before"; empty where there is nothing to say
    };

    /// What judge() would say. @param begunFrom step of the checkpoint from which the failed attempt began; 0: from scratch
    /// @param nextFrom the same of the next attempt
    Verdict preview(const AttemptFailure& failure, std::int64_t begunFrom, std::int64_t nextFrom) const;

    /// Call once for each attempt that has failed.
    Verdict judge(const AttemptFailure& failure, std::int64_t begunFrom, std::int64_t nextFrom);

private:
    std::int64_t m_most;
    std::int64_t m_inRow = 0;  ///< restarts without progress so far
    bool m_hasTrained = false;  ///< an attempt has reached a step
    std::optional<AttemptFailure> m_last;
};

}  // namespace launcher
