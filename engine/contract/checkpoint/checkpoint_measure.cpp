#include "engine/contract/checkpoint/checkpoint_measure.h"

#include "engine/contract/experiment/policy_settings.h"

namespace contract {
namespace {

bool isTrainedByReward(const Experiment& experiment)
{
    const std::string& algorithm = experiment.text("algorithm.name");
    return isPolicyAlgorithm(algorithm) && algorithm != "distill" && !policySettings(experiment).forward.hasStoredPairs;
}

}  // namespace

CheckpointMeasure checkpointMeasure(const Experiment& experiment)
{
    CheckpointMeasure measure;
    if (const std::string& named = experiment.text("checkpoint.best_metric"); !named.empty())
        measure.metric = named;
    else if (isTrainedByReward(experiment))
        measure.metric = metric::kReward;
    const std::string& direction = experiment.text("checkpoint.best_is");
    measure.isHighestBest = direction == "auto" ? measure.metric == metric::kReward : direction == "highest";
    return measure;
}

}  // namespace contract
