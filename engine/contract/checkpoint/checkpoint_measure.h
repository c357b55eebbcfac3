// By what a run ranks its checkpoints.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/run/journal.h"

#include <string>

namespace contract {

struct CheckpointMeasure {
    std::string metric = contract::metric::kValidationLoss;
    bool isHighestBest = false;
    bool operator==(const CheckpointMeasure&) const = default;
};

/// As the options checkpoint.best_metric and checkpoint.best_is say. Unless they name a metric, it is the mean reward where a reward is trained
/// by, and the validation loss elsewhere: also in distillation and with stored pairs, which have no reward.
CheckpointMeasure checkpointMeasure(const Experiment& experiment);

}  // namespace contract
