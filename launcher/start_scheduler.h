// Adds runs to the queue and keeps a scheduler running while there is something to start.
#pragma once
#include "launcher/base/data_home.h"
#include "launcher/queue/queue.h"

#include <vector>

namespace launcher {

/// Adds entries at the end and makes sure that a scheduler runs. @throws std::runtime_error when a run is in the queue already.
void enqueue(const DataHome& home, const std::vector<QueueEntry>& entries);

/// Starts `atelier schedule` detached unless one runs or the queue holds nothing to start. Blocks until it runs.
/// @throws std::runtime_error in one sentence when it cannot be started.
void ensureScheduler(const DataHome& home);

}  // namespace launcher
