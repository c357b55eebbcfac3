// The state of a run whose ranks Slurm starts.
#pragma once
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/state/run_state.h"

#include <cstdint>
#include <optional>

namespace launcher {

/// What Slurm's last answer says about whether @p rankZero, the last that took the run's lock, is alive; nullopt when it says nothing:
/// the run has no job, or rank 0 has written to its journal after the answer, at @p writtenUnixMs.
std::optional<bool> isAliveInSlurm(const contract::RunFolder& folder, const contract::LockOwner& rankZero, std::int64_t writtenUnixMs);

/// Corrects the state that locks and journals show by what Slurm last said of the run's job ([Note: runs in Slurm]): while no rank
/// runs, the job may wait for its turn, start, or have ended for a reason that no rank knows. No-op for other runs.
/// @param isStopAccepted somebody has asked the ranks of the last attempt to stop
void applySlurm(const contract::RunFolder& folder, bool isStopAccepted, RunStatus& status);

}  // namespace launcher
