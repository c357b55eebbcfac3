#include "ui/checkpoint/checkpoint_measure.h"

#include <cmath>

namespace ui {

CheckpointMeasure checkpointMeasure(const contract::Experiment& experiment)
{
    return {.metric = experiment.text("checkpoint.best_metric"), .isHighestBest = experiment.text("checkpoint.best_is") == "highest"};
}

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

std::optional<std::size_t> bestCheckpoint(
    const CheckpointMeasure& measure, std::size_t count, const std::function<std::optional<double>(std::size_t, const std::string&)>& valueOf)
{
    for (const CheckpointMeasure& each : {measure, CheckpointMeasure {.metric = contract::metric::kLoss}}) {
        std::optional<std::size_t> best;
        double bestValue = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const auto value = valueOf(i, each.metric);
            if (!value || std::isnan(*value) || (best && !(each.isHighestBest ? *value > bestValue : *value < bestValue)))
                continue;
            bestValue = *value;
            best = i;
        }
        if (best)
            return best;
    }
    return std::nullopt;
}

}  // namespace ui
