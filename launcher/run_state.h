// What state a run is in, from evidence and never from a stored word alone.
#pragma once
#include "engine/contract/run_folder.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace launcher {

enum class RunState {
    Starting,     ///< supervisor alive or being started, no step yet in this attempt
    Running,      ///< supervisor alive, a step record younger than the stall limit
    Stalled,      ///< supervisor alive, no record for max(launch.stall_after, 10 × median step)
    Stopping,     ///< supervisor alive, stop accepted
    Finished,     ///< end record says so
    Stopped,      ///< end record says so
    Failed,       ///< end record says so
    Interrupted,  ///< no end record and nobody alive
    CutOff,       ///< the supervisor runs, or ran, on another machine: cannot be known here
};

std::string_view stateName(RunState state);  ///< "starting" …, as the command line prints it
bool isActive(RunState state);               ///< a supervisor is alive or being started

struct RunStatus {
    RunState state = RunState::Interrupted;
    int attempt = 0;              ///< the last one; 0 when there is none
    int ranks = 0;
    std::int64_t step = 0;        ///< of rank 0, in this attempt
    std::int64_t totalSteps = 0;
    /// Of rank 0 in this attempt, 0 before the first. While a supervisor lives: when the file last changed, which
    /// stays right when the clock is set; afterwards: by the record itself, which stays right when files are copied.
    std::int64_t lastRecordUnixMs = 0;
    std::string cause;            ///< Failed, Interrupted, Stalled: one sentence with a name in it
    std::string waitsFor;         ///< Starting, Stopping: "rank 2 loads data"
};

/// Looks at the lock (held by a live supervisor only: the kernel releases it with the process), the start
/// record's host and boot id, and the ends of the journals. Reads at most the last 64 kB of each: ≤ 5 ms.
/// Never throws; a folder that cannot be read is Interrupted with the reason as its cause.
RunStatus inspectRun(const contract::RunFolder& folder);

}  // namespace launcher
