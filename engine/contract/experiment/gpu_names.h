// The GPUs that an experiment names for its ranks.
#pragma once
#include "engine/contract/experiment/experiment.h"

#include <string>
#include <vector>

namespace contract {

/// The entries of launch.gpus; empty when any GPUs will do, or the ranks run on the CPU.
std::vector<std::string> namedGpus(const Experiment& experiment);

/// What is wrong with launch.gpus, if anything: entries that are no UUIDs or repeat, or not one for each rank.
std::vector<Problem> gpuProblems(const Experiment& experiment);

}  // namespace contract
