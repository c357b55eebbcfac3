// When a run counts as stalled, and how its journal says so. The supervisor watches for it, or rank 0 in its place.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

namespace contract {

/// Kinds of events in the supervisor's journal.
namespace event {
inline constexpr char kStalled[] = "stalled";      ///< no rank has written for longer than the stall limit
inline constexpr char kRecovered[] = "recovered";  ///< a rank has written again after a stall
}  // namespace event

inline constexpr char kRecovery[] = "The ranks write records again";  ///< message of that event

/// How long a run may write no record: the larger of @p stallAfterSeconds and ten median steps.
inline std::chrono::milliseconds stallLimit(std::int64_t stallAfterSeconds, double medianStepMs)
{
    constexpr double kSteps = 10;
    const auto ofSteps = static_cast<std::int64_t>(kSteps * medianStepMs);
    return std::chrono::milliseconds(std::max(stallAfterSeconds * 1000, ofSteps));
}

/// One sentence on a run that has been silent for @p silence since @p lastStep or later.
inline std::string stallSentence(std::chrono::nanoseconds silence, std::int64_t lastStep)
{
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(silence).count();
    return "No rank has written a record for " + std::to_string(seconds) + " s; the last step was " + std::to_string(lastStep);
}

}  // namespace contract
