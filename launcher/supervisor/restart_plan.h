// On how many ranks, and on which GPUs, a run is started again.
#pragma once
#include "engine/contract/experiment/experiment.h"

#include <string>
#include <vector>

namespace launcher {

/// The UUIDs of the GPUs that the ranks of @p experiment may use, in CUDA's order; empty when they train on the CPU, or without a driver.
std::vector<std::string> gpusFor(const contract::Experiment& experiment);

struct RestartPlan {
    contract::Experiment experiment;  ///< of the next attempt
    std::string visibleGpus;          ///< its CUDA_VISIBLE_DEVICES; empty: that of the supervisor
    std::string notice;               ///< "goes on with 3 ranks instead of 4, because 1 GPU is lost"; empty when nothing changes
    std::string problem;              ///< why there can be no restart, without a capital; empty when there can be
};

/// When too few GPUs are left, takes the highest number of ranks from launch.min_ranks on with which the experiment is valid and a step
/// has as many samples as before. @param last the failed attempt's experiment
/// @param before gpusFor() it when the supervisor started @param now the host's GPUs (nvml.h); those that are not in @p before do not count
RestartPlan planRestart(const contract::Experiment& last, const std::vector<std::string>& before, const std::vector<std::string>& now);

}  // namespace launcher
