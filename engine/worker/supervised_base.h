// The model that algorithms start from when none is given: trained on the digits or the emoji, once for all runs of a data home.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "engine/tasks/task.h"

#include <filesystem>
#include <optional>

namespace engine {

/// Whether there is such a model for @p experiment.
bool hasSupervisedBase(const contract::Experiment& experiment);

/// Returns the checkpoint of a model with the experiment's model options, seed and data, trained by flow matching. It lies in the cache; when
/// it is not there, it is trained first: the digits' takes about a minute on two CPU cores, the emoji's ten. Collective.
/// @return nullopt when the ranks have agreed to stop before it was trained
/// @throws EngineError as training does, and when the checkpoint cannot be written.
std::optional<std::filesystem::path> supervisedBase(const contract::Experiment& experiment, const TaskContext& context);

}  // namespace engine
