// Changes the experiment of a run that waits in the queue.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "launcher/base/data_home.h"

#include <string>

namespace launcher {

/// Gives the run @p after in place of @p before, the experiment that it had when the edit began. It keeps its place, whether it is held, and
/// the GPUs it waits for unless the change is about these; a run that could not be started is tried again. The scheduler starts it with
/// all of the old experiment or all of the new one. @p after must be valid.
/// @throws std::runtime_error in one sentence when the run does not wait any more, when its experiment is not @p before, because somebody
/// else has changed it, when its checkpoint is of another model than @p after, or when a file cannot be written.
void editQueued(const DataHome& home, const std::string& run, const contract::Experiment& before, const contract::Experiment& after);

}  // namespace launcher
