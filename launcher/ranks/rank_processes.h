// What the processes of ranks do at this moment, as the system sees them.
#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace launcher {

/// Says of each rank that the process @p supervisor has started on this machine, and that it has not waited for yet, what its process
/// does: "its process sleeps: it waits". Ranks whose process cannot be read are left out.
std::map<int, std::string> rankProcesses(std::int64_t supervisor);

}  // namespace launcher
