// Submits runs to Slurm, asks for their jobs and cancels them, by Slurm's own programs. See [Note: runs in Slurm] in slurm_script.h.
#pragma once
#include "engine/contract/run/run_folder.h"

#include <chrono>
#include <string>

namespace launcher {

struct PreparedRun;

/// Writes the batch script of a prepared attempt into the run's folder and submits it, after giving up the start lock, which rank 0
/// takes. Blocks until sbatch has answered. @return the job's number @throws std::runtime_error in one sentence, with sbatch's reason;
/// the attempt then stays prepared.
std::string submitToSlurm(PreparedRun& run);

/// Asks Slurm for the run's job, unless its last answer is younger than @p age, and keeps the answer in the run's folder. Blocks for as
/// long as squeue takes, at most 10 s; not on the thread of a window. No-op when the run has no job, or the job is over.
/// @return empty, or why Slurm did not answer, in one sentence.
std::string refreshSlurm(const contract::RunFolder& folder, std::chrono::milliseconds age);

/// Asks Slurm for the run's job, too. @throws std::runtime_error when it waits or runs.
void requireNoSlurmJob(const contract::RunFolder& folder);

/// Cancels the run's job, whether it waits or runs. Blocks as refreshSlurm() does. @return empty, or why not, in one sentence.
std::string cancelSlurm(const contract::RunFolder& folder);

/// Empty when this machine can submit jobs and the cluster answers, else why not, in one sentence. Blocks, at most @p limit.
std::string slurmProblem(std::chrono::milliseconds limit);

}  // namespace launcher
