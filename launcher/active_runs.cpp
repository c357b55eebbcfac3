#include "launcher/state/active_runs.h"

#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/run/start_lock.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/slurm/slurm_job.h"

#include <system_error>

namespace launcher {

bool isAlive(const contract::RunFolder& folder)
{
    // In this order; see [Note: the supervisor's lock].
    return contract::isBeingStarted(folder) || contract::isLocked(folder);
}

std::vector<std::string> activeRuns(const DataHome& home)
{
    std::vector<std::string> active;
    std::error_code ignored;
    for (const auto& root : contract::entriesOf(home.runs(), ignored)) {
        const contract::RunFolder folder(root);
        if (isAlive(folder) && !slurmJob(folder))
            active.push_back(root.filename().string());
    }
    return active;
}

}  // namespace launcher
