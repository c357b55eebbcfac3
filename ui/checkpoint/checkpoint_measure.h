// By what a run ranks its checkpoints.
#pragma once
#include "engine/contract/checkpoint/checkpoint_measure.h"
#include "storage/store.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace ui {

using contract::CheckpointMeasure;
using contract::checkpointMeasure;
/// That of the run's last attempt.
CheckpointMeasure checkpointMeasure(const storage::Store& store, const std::string& runId);

/// The best of @p count checkpoints by @p measure or, when none has a value of it, by the lowest loss; nullopt when none has that either.
/// @param valueOf the value of a metric at a checkpoint, by its number; a value that is not a number is never the best
std::optional<std::size_t> bestCheckpoint(
    const CheckpointMeasure& measure, std::size_t count, const std::function<std::optional<double>(std::size_t, const std::string&)>& valueOf);

}  // namespace ui
