// Which runs are active on this machine.
#pragma once
#include "engine/contract/run/run_folder.h"
#include "launcher/base/data_home.h"

#include <string>
#include <vector>

namespace launcher {

/// Whether a supervisor of the run, or rank 0 where it has none, is alive or being started.
bool isAlive(const contract::RunFolder& folder);

/// Ids of the runs that are active on this machine. Looks at all of them.
std::vector<std::string> activeRuns(const DataHome& home);

}  // namespace launcher
