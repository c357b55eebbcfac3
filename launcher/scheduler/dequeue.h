// Takes runs out of the queue.
#pragma once
#include "launcher/base/data_home.h"

#include <string>

namespace launcher {

/// Takes the run out of the queue. An attempt that would have resumed it is discarded; a run's first one stays prepared.
/// @throws std::runtime_error in one sentence when the run does not wait any more.
void dequeue(const DataHome& home, const std::string& run);

}  // namespace launcher
