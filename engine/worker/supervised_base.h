// The digits model that algorithms start from: trained on images, once for all runs of a data home.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "engine/tasks/task.h"

#include <filesystem>

namespace engine {

/// Returns the checkpoint of a digits model with the experiment's model options, seed and data, trained by flow matching. It lies in
/// the cache; when it is not there, it is trained first, which takes about a minute on two CPU cores. Collective.
/// @throws EngineError as training does, and when the checkpoint cannot be written.
std::filesystem::path supervisedBase(const contract::Experiment& experiment, const TaskContext& context);

}  // namespace engine
