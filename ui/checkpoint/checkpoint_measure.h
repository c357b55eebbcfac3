// By what a run ranks its checkpoints.
#pragma once
#include "engine/contract/run/journal.h"
#include "storage/store.h"

#include <string>

namespace ui {

/// As the options checkpoint.best_metric and checkpoint.best_is say.
struct CheckpointMeasure {
    std::string metric = contract::metric::kValidationLoss;
    bool isHighestBest = false;
    bool operator==(const CheckpointMeasure&) const = default;
};

/// That of the run's last attempt.
CheckpointMeasure checkpointMeasure(const storage::Store& store, const std::string& runId);

}  // namespace ui
