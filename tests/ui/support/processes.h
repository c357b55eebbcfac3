// Processes of runs, found and ended by their ids.
#pragma once
#include "engine/contract/run/run_folder.h"

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ui_test {

/// Process ids of everything that has @p text on its command line, this process aside.
std::vector<pid_t> processes(const std::string& text);

/// Of a run's present attempt; empty: there is none (yet, or any more).
std::optional<pid_t> rankProcess(const contract::RunFolder& run, int rank);
std::optional<pid_t> supervisorProcess(const contract::RunFolder& run);

}  // namespace ui_test
