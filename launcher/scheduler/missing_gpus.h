// Tells a run that waits for GPUs which this machine does not have from one whose GPUs are only taken.
#pragma once
#include "launcher/queue/queue.h"

#include <chrono>
#include <string>
#include <vector>

namespace launcher {

class MissingGpus {
public:
    /// For how long GPUs must be missing. A driver that is loaded again lists none meanwhile.
    static constexpr std::chrono::seconds kPatience {10};

    /// Why the entry cannot start although it is its turn, in one sentence; empty: it only waits. Call it each turn for the entry that comes next.
    /// @param usable UUIDs of the GPUs that this process may use, taken or not
    std::string problemOf(const QueueEntry& entry, const std::vector<std::string>& usable);

private:
    std::string m_run;  ///< whose GPUs are missing
    std::chrono::steady_clock::time_point m_since;
};

}  // namespace launcher
