#include "engine/worker/supervised_base.h"

#include "engine/checkpoint/checkpoint_writer.h"
#include "engine/comm/errors.h"
#include "engine/contract/formats/checksum.h"
#include "engine/contract/run/run_folder.h"
#include "engine/tasks/engine_options.h"
#include "engine/train/trainer.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace engine {
namespace {

/// How a model is trained to be a base.
struct Recipe {
    std::string name;
    std::int64_t steps, rowsPerStep, warmupSteps;
    double learningRate;
    const char* sigmas;
    std::vector<const char*> keys;  ///< options that decide the weights
};

/// As in resources/experiments/digits.toml and emoji.toml, whose first third suffices here.
const Recipe kDigits {"digits", 800, 128, 50, 2e-3, "uniform",
    {"model.patch", "model.width", "model.depth", "model.heads", "model.label_dropout", "run.seed", "data.path", "data.validation_fraction",
        "batch.micro"}};
const Recipe kEmoji {"emoji", 1200, 32, 100, 1e-3, "logit_normal",
    {"model.patch", "model.width", "model.depth", "model.heads", "run.seed", "data.resolution", "data.max_ratio", "data.caption_dropout",
        "data.validation_fraction", "batch.micro"}};

const Recipe& recipeOf(const contract::Experiment& experiment)
{
    return experiment.text("model.name") == "dit" ? kDigits : kEmoji;
}

/// Returns the experiment of a base model: the recipe's options for training, and the model, engine and data options of @p experiment.
contract::Experiment baseExperiment(const contract::Experiment& experiment, const Recipe& recipe, int dataRanks)
{
    contract::Experiment base = experiment;
    for (const contract::Option& option : contract::options()) {
        for (const std::string_view group : {"algorithm", "rollout", "advantage", "policy", "optim", "schedule", "ema", "batch", "flow", "lora"}) {
            if (option.group() == group)
                base.reset(option.key);
        }
    }
    const auto set = [&](std::string_view key, const contract::OptionValue& value) {
        if (const auto problem = base.set(key, value))
            throw std::logic_error(problem->message);
    };
    base.reset("model.trainable");
    set("run.total_steps", recipe.steps);
    set("flow.sigmas", std::string(recipe.sigmas));
    set("optim.lr", recipe.learningRate);
    set("schedule.type", std::string("cosine"));
    set("schedule.warmup_steps", recipe.warmupSteps);
    set("ema.decay", 0.0);
    set("batch.micro", std::max<std::int64_t>(1, recipe.rowsPerStep / dataRanks));
    return base;
}

/// Names the base by what decides its weights.
std::string nameOf(const contract::Experiment& base, const Recipe& recipe)
{
    contract::Checksum sum;
    for (const char* key : recipe.keys) {
        const std::string line = std::string(key) + "=" + contract::toText(base.value(key)) + "\n";
        sum.add(line.data(), line.size());
    }
    return recipe.name + "-base-" + sum.text();
}

/// Returns rank 0's @p value on every rank. Collective.
bool agreedWithFirst(const TaskContext& context, bool value)
{
    Group& world = context.mesh.world();
    const at::Tensor flag = at::tensor({world.rank() == 0 && value ? 1.0 : 0.0}, at::kDouble).to(context.device);
    world.allReduceSum(flag, "whether there is a base model");
    return world.onHost(flag).item<double>() > 0;
}

/// @return whether it was trained; false when the ranks have agreed to stop
bool train(const contract::Experiment& base, const TaskContext& context, const contract::RunFolder& folder)
{
    const auto task = makeTask(base, context);
    BufferPool pool(context.mesh.shard(), context.device);
    UnitSequence units(task->units(), context.mesh.shard(), pool, unitOptions(base, context.mesh, nullptr), sequenceOptions(base),
        static_cast<std::uint64_t>(base.integer("run.seed")));
    task->begin(units);
    Trainer trainer(base, units, context.mesh, context.device);
    const std::int64_t steps = base.integer("run.total_steps");
    while (trainer.progress().step < steps) {
        if (context.isStopAgreed())
            return false;
        if (trainer.progress().step % 50 == 0)
            context.reportProgress("trains the base model, step " + std::to_string(trainer.progress().step) + " of " + std::to_string(steps));
        trainer.step(task->steps(), task->loss(), {});
    }
    contract::CheckpointManifest manifest;
    manifest.run = folder.id();
    manifest.attempt = 1;
    manifest.step = steps;
    manifest.worldSize = context.mesh.shard().size();
    manifest.model = base.text("model.name");
    manifest.modelOptions = task->stateOptions();
    manifest.state = trainer.toState();
    CheckpointWriter writer(folder, units, context.mesh, Contents::Weights, {});
    writer.save(std::move(manifest));
    for (const SaveResult& save : writer.finish()) {
        if (!save.problem.empty())
            throw EngineError(EngineError::Kind::Failure, "the base model was not written: " + save.problem);
    }
    return true;
}

}  // namespace

bool hasSupervisedBase(const contract::Experiment& experiment)
{
    const std::string& model = experiment.text("model.name");
    return model == "dit" || (model == "sd3" && experiment.text("data.source") == "emoji");
}

std::optional<std::filesystem::path> supervisedBase(const contract::Experiment& experiment, const TaskContext& context)
{
    const Recipe& recipe = recipeOf(experiment);
    const contract::Experiment base = baseExperiment(experiment, recipe, context.mesh.data().size());
    const std::string name = nameOf(base, recipe);
    const contract::RunFolder kept(context.cache / name);
    const std::filesystem::path checkpoint = kept.checkpoint(recipe.steps);
    std::error_code error;
    if (agreedWithFirst(context, std::filesystem::exists(checkpoint / contract::kManifestFile, error)))
        return checkpoint;
    // Several runs may train the same base at once: each writes to its own folder, and the first complete one is kept.
    const contract::RunFolder own(context.cache / (name + ".of-" + context.run.filename().string()));
    if (!train(base, context, own))
        return std::nullopt;
    context.mesh.world().barrier("the base is written");
    if (context.mesh.world().rank() == 0) {
        std::filesystem::rename(own.root(), kept.root(), error);
        if (error)
            std::filesystem::remove_all(own.root(), error);
    }
    context.mesh.world().barrier("the base is in its place");
    return checkpoint;
}

}  // namespace engine
