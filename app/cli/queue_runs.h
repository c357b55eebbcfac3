// Puts prepared runs into the queue and says so.
#pragma once
#include "app/cli/failure.h"
#include "app/cli/planned_runs.h"
#include "launcher/base/data_home.h"
#include "launcher/base/prepared_run.h"

#include <optional>
#include <vector>

namespace app {

/// @param gpus how many free GPUs each of them waits for; nullopt: as many as it has ranks, where there are GPUs
ExitCode queueRuns(const launcher::DataHome& home, std::vector<launcher::PreparedRun> runs, std::optional<int> gpus, bool isJson);

inline ExitCode queueRun(const launcher::DataHome& home, launcher::PreparedRun run, bool isJson)
{
    std::vector<launcher::PreparedRun> runs;
    runs.push_back(std::move(run));
    return queueRuns(home, std::move(runs), {}, isJson);
}

/// The folders of runs that have been found ready.
std::vector<launcher::PreparedRun> createRuns(const launcher::DataHome& home, const std::vector<PlannedRun>& runs);

/// Reads run folders that have just been made into the database, so that an open window shows them. An error is only a warning.
void showInDatabase(const launcher::DataHome& home, const std::vector<contract::RunFolder>& folders);

}  // namespace app
