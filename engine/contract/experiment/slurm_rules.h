// What is wrong with the options of a Slurm job.
#pragma once
#include "engine/contract/experiment/experiment.h"

#include <vector>

namespace contract {

/// Whether the run is a job of a Slurm cluster (launch.target).
bool isForSlurm(const Experiment& experiment);

/// Nodes that do not divide the ranks, too few GPUs, a malformed time limit, values that would break the job's script. Empty for
/// experiments that are not for Slurm.
std::vector<Problem> slurmProblems(const Experiment& experiment);

}  // namespace contract
