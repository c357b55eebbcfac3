// The GPUs that an experiment names for its ranks.
#pragma once
#include "engine/contract/experiment/experiment.h"

#include <string>
#include <vector>

namespace contract {

/// Whether the ranks get GPUs on which nobody computes when they start (launch.gpus = "free").
bool wantsFreeGpus(const Experiment& experiment);

/// The entries of launch.gpus: indices, UUIDs or their beginnings. Empty when any GPUs will do, or free ones, or the ranks run on the CPU.
std::vector<std::string> namedGpus(const Experiment& experiment);

/// What is wrong with launch.gpus, if anything: entries that are none of these or repeat, or not one for each rank.
std::vector<Problem> gpuProblems(const Experiment& experiment);

}  // namespace contract
