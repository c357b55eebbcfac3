#include "ui/checkpoint/checkpoint_measure.h"

#include <cmath>

namespace ui {

CheckpointMeasure checkpointMeasure(const storage::Store& store, const std::string& runId)
{
    contract::Experiment experiment;
    if (const auto attempts = store.attempts(runId); !attempts.empty())
        for (const storage::ParameterRow& option : store.parameters(runId, attempts.back().number))
            experiment.setText(option.key, option.value);
    return checkpointMeasure(experiment);
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
