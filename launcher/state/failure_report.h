// What went wrong first in an attempt that failed or broke off, and which rank a stalled one waits for: one page, from the journals and
// logs of its ranks.
#pragma once
#include "engine/contract/run/run_folder.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace launcher {

/// The last that is known of a rank.
struct RankTrace {
    int rank = 0;
    /// "Rank 1 was killed (signal 9, out of memory) after step 4120"; empty: nobody saw it end.
    /// Of a run that has stalled, what its process does: "its process sleeps: it waits".
    std::string end;
    std::int64_t endUnixMs = 0;      ///< when the supervisor saw that
    bool endedBySupervisor = false;  ///< it ended because the supervisor ended all ranks
    std::int64_t step = 0;           ///< of the last step record; 0: none
    std::int64_t lastRecordUnixMs = 0;  ///< by rank 0's clock; 0: it wrote nothing
    std::string activity;            ///< what it did after that step: "draws samples of round 3"; empty: it was in a step
    std::map<std::string, double> memory;  ///< the metrics memory/… of its last step, in bytes
};

struct FailureReport {
    std::string run;    ///< id
    int attempt = 0;
    bool isStalled = false;  ///< the ranks are alive, but none writes a record
    std::string cause;  ///< of the end record, one sentence; of an attempt without one, that it broke off; or for how long nothing has come
    int first = 0;      ///< the rank that went first; of a run that has stalled, the one furthest behind
    std::vector<RankTrace> ranks;  ///< in ascending order
    std::optional<double> machineMemory;  ///< in use on the machine at the last time it was recorded, in bytes
    std::string log;                      ///< of the first rank, relative to the run's folder
    std::vector<std::string> lastLines;   ///< of that log, at most 20; none of later attempts

    const RankTrace& firstRank() const;
};

/// Reads the report on @p attempt; 0: on the last one that failed, broke off or has stalled. Reads the last 4 MB of each journal.
/// Never throws on damaged files: what cannot be read is left out.
/// @return nullopt when there is no such attempt, or it goes on, or did not fail
std::optional<FailureReport> readFailure(const contract::RunFolder& folder, int attempt = 0);

/// The page as plain text, with times in local time. @p speak gets each of its sentences, but not the lines of the log, and returns what
/// is written in its place; without it they stay as they are.
std::string failureText(const FailureReport& report, const std::function<std::string(const std::string&)>& speak = std::identity());

}  // namespace launcher
