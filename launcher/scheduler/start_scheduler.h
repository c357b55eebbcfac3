// Adds runs to the queue and keeps a scheduler running while there is something to start.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "launcher/base/data_home.h"
#include "launcher/base/prepared_run.h"
#include "launcher/queue/queue.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace launcher {

/// Prepares the next attempt of a run that is to wait in the queue; see prepareResume(). @throws std::runtime_error as that does, and when
/// the run waits in the queue already: its attempt then stays as it is.
PreparedRun prepareForQueue(const DataHome& home, const contract::RunFolder& folder, std::optional<std::int64_t> checkpointStep,
    const std::optional<contract::Experiment>& experiment);

/// Adds entries at the end and makes sure that a scheduler runs. @throws std::runtime_error when a run is in the queue already.
/// @param runs those of the entries whose start locks are held; the locks are released when the entries are in the queue
void enqueue(const DataHome& home, const std::vector<QueueEntry>& entries, std::vector<PreparedRun> runs);

/// Starts `atelier schedule` detached unless one runs or the queue holds nothing to start. Blocks until it runs.
/// @throws std::runtime_error in one sentence when it cannot be started.
void ensureScheduler(const DataHome& home);

}  // namespace launcher
