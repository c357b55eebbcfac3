#include "launcher/home/checkpoint_sizes.h"

#include "engine/contract/formats/model_folder.h"
#include "engine/contract/formats/safetensors_set.h"

#include <algorithm>
#include <exception>

namespace launcher {
namespace {

/// Number of parameters of the transformer in @p folder, or, when @p rank > 0, of a LoRA adapter of that rank for all its
/// matrices. Returns 0 when the folder cannot be read: the ranks report that error.
double parametersIn(const std::string& folder, const std::string& component, std::int64_t rank)
{
    try {
        const contract::SafetensorsSet weights(contract::ModelFolder(folder).component(component));
        double count = 0;
        for (const auto& [name, item] : weights.items()) {
            const auto& shape = item.tensor->shape;
            if (rank == 0)
                count += static_cast<double>(item.tensor->elements());
            else if (shape.size() == 2)
                count += static_cast<double>(rank * (shape[0] + shape[1]));
        }
        return count;
    } catch (const std::exception&) {
        return 0;
    }
}

/// Parameters to train. For a model trained from scratch, estimated from its shape in units of width²: per block 4 for
/// attention, 8 for the MLP and 6 for the modulation; twice that for sd3, whose captions have their own weights.
double parameterCount(const contract::Experiment& experiment)
{
    if (experiment.text("model.name") == "diffusers")
        return parametersIn(experiment.text("model.folder"), experiment.text("model.component"), experiment.integer("lora.rank"));
    const double squaresPerBlock = experiment.text("model.name") == "sd3" ? 36 : 18;
    constexpr double kSquaresOutside = 6;
    const auto width = static_cast<double>(experiment.integer("model.width"));
    const auto depth = static_cast<double>(experiment.integer("model.depth"));
    return width * width * (squaresPerBlock * depth + kSquaresOutside);
}

/// Bytes of a checkpoint per parameter: weights, their EMA and the optimizer's moments.
double bytesPerParameter(const contract::Experiment& experiment)
{
    constexpr double kFloat = 4;
    const double weights = experiment.real("ema.decay") > 0 ? 2 * kFloat : kFloat;
    if (experiment.text("checkpoint.save") == "weights")
        return weights;
    const std::string& kind = experiment.text("optim.kind");
    return weights + (kind == "adamw8bit" ? 2 : kind == "muon" ? kFloat : 2 * kFloat);
}

}  // namespace

double checkpointBytes(const contract::Experiment& experiment) { return parameterCount(experiment) * bytesPerParameter(experiment); }

double checkpointsKept(const contract::Experiment& experiment)
{
    const std::int64_t steps = experiment.integer("run.total_steps");
    const std::int64_t every = experiment.integer("checkpoint.every");
    const std::int64_t keepEvery = experiment.integer("checkpoint.keep_every");
    const std::int64_t written = (every > 0 ? steps / every : 0) + (every > 0 && steps % every == 0 ? 0 : 1);
    const std::int64_t ofEvery = every > 0 && keepEvery > 0 ? steps / std::max(every, keepEvery) : 0;
    const auto kept = static_cast<double>(experiment.integer("checkpoint.keep"))
        + static_cast<double>(experiment.integer("checkpoint.keep_best")) + static_cast<double>(ofEvery);
    return std::min(kept, static_cast<double>(written));
}

double bytesForCheckpoints(const contract::Experiment& experiment)
{
    const double one = checkpointBytes(experiment);
    const double kept = one * checkpointsKept(experiment);
    const double limit = experiment.real("checkpoint.max_gb") * 1e9;
    return (limit > 0 ? std::min(kept, std::max(limit, one)) : kept) + one;
}

}  // namespace launcher
