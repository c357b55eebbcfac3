// The batch script of a run that Slurm starts.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "launcher/base/data_home.h"

#include <filesystem>
#include <string>

namespace launcher {

/// [Note: runs in Slurm]
/// A run in Slurm has no supervisor ([Note: ranks without a supervisor] in engine/worker/unsupervised_start.h). Its job is a shell script
/// in the run's folder, slurm/job.sh, which starts the ranks by srun; rank 0, on the first node, is where they meet. The job is
/// submitted once and goes on by requeuing itself, each time as another attempt from the latest checkpoint:
///   - near the time limit Slurm sends USR1 to the script, which has the ranks write a checkpoint and leave; when they got further than
///     the checkpoint that they began from, the job is requeued,
///   - ranks that failed, or whose node failed, are started again as launch.restarts says ([Note: restarts] in restart_policy.h); the
///     file slurm/restarts has the count. Slurm itself requeues the job when one of its nodes fails.
/// The script writes slurm/begun, the size of rank 0's journal when it begins: what rank 0 writes after it belongs to this run of the script.
/// slurm/job.json has the number of the job, and slurm/seen.json what Slurm last said of it: squeue is asked by whoever looks at the run
/// (slurm_client.h), and the state of the run is computed from that file, the lock and the journals (slurm_state.h).
///
/// @param run the run's folder, which all nodes see @param worker path of atelier-worker on the nodes
std::string slurmScript(const contract::Experiment& experiment, const std::filesystem::path& run, const std::string& worker);

/// What the folder of a run of @p experiment will be called, for a script that is only shown.
std::filesystem::path exampleFolder(const DataHome& home, const contract::Experiment& experiment);

}  // namespace launcher
