#include "ui/checkpoint/checkpoint_measure.h"

namespace ui {

CheckpointMeasure checkpointMeasure(const storage::Store& store, const std::string& runId)
{
    CheckpointMeasure measure;
    const auto attempts = store.attempts(runId);
    if (attempts.empty())
        return measure;
    for (const storage::ParameterRow& option : store.parameters(runId, attempts.back().number)) {
        if (option.key == "checkpoint.best_metric")
            measure.metric = option.value;
        else if (option.key == "checkpoint.best_is")
            measure.isHighestBest = option.value == "highest";
    }
    return measure;
}

}  // namespace ui
