#include "engine/plan/planned_model.h"

#include "engine/contract/adapters/adapter_file.h"
#include "engine/contract/experiment/policy_settings.h"
#include "engine/contract/formats/model_folder.h"
#include "engine/lora/adapter_source.h"
#include "engine/lora/adapters.h"
#include "engine/models/registry.h"
#include "engine/models/trainable.h"
#include "engine/pipeline/hashed_words.h"
#include "engine/tasks/engine_options.h"
#include "engine/tasks/new_model.h"

#include <ATen/ops/zeros.h>

namespace engine {
namespace {

at::Tensor expanded(const at::Tensor& one, std::int64_t samples)
{
    if (!one.defined())
        return {};
    std::vector<std::int64_t> shape = one.sizes().vec();
    shape[0] = samples;
    return at::zeros(shape, one.options());
}

void planDigits(const contract::Experiment& experiment, PlannedModel& planned)
{
    planned.digits = loadDigits(experiment.text("data.path"), experiment.real("data.validation_fraction"),
        static_cast<std::uint64_t>(experiment.integer("run.seed")));
    const LabelledImages& data = planned.digits->training;
    const at::Tensor& images = data.images;
    planned.model = buildModel(experiment, {images.size(2), images.size(1), data.classes});
    planned.sample = ModelInput {.latents = at::zeros({1, images.size(1), images.size(2), images.size(3)}), .sigmas = at::zeros({1}),
        .labels = at::zeros({1}, at::kLong)};
}

void planNew(const contract::Experiment& experiment, const std::filesystem::path& scratch, PlannedModel& planned)
{
    describeNewModel(experiment, scratch);
    planned.model = buildTransformer(contract::ModelFolder(scratch).config("transformer"),
        {{experiment.integer("engine.wrap.min_params"), experiment.text("engine.wrap.keep_in_root")}});
    const std::int64_t side = experiment.integer("data.resolution");
    planned.sample = ModelInput {.latents = at::zeros({1, 3, side, side}), .sigmas = at::zeros({1}), .labels = {},
        .prompt = at::zeros({1, HashedWords::kWords, HashedWords::kWidth}), .pooled = at::zeros({1, HashedWords::kWidth})};
}

void planFolder(const contract::Experiment& experiment, PlannedModel& planned)
{
    planned.model = buildTransformer(contract::ModelFolder(experiment.text("model.folder")).config(experiment.text("model.component")),
        {{experiment.integer("engine.wrap.min_params"), experiment.text("engine.wrap.keep_in_root")}});
}

}  // namespace

std::optional<ModelInput> PlannedModel::input(std::int64_t samples) const
{
    if (!sample)
        return std::nullopt;
    return ModelInput {.latents = expanded(sample->latents, samples), .sigmas = expanded(sample->sigmas, samples),
        .labels = expanded(sample->labels, samples), .prompt = expanded(sample->prompt, samples), .pooled = expanded(sample->pooled, samples)};
}

PlannedModel plannedModel(const contract::Experiment& experiment, const std::filesystem::path& scratch)
{
    PlannedModel planned;
    const std::string& name = experiment.text("model.name");
    if (name == "dit")
        planDigits(experiment, planned);
    else if (name == "sd3")
        planNew(experiment, scratch, planned);
    else
        planFolder(experiment, planned);
    planned.units = planned.model->units();
    if (name == "diffusers") {
        planned.storesFrozen = false;
        const std::string& file = experiment.text("lora.init_from");
        const auto layers = file.empty() ? newAdapterLayers(experiment, *planned.model)
                                         : adapterLayers(contract::readAdapter(file, linearModules(planned.units)));
        if (!layers.empty()) {
            declareAdapters(planned.units, layers, {kDefaultAdapter}, AdapterInit::Gaussian);
            planned.trainedDtype = dtypeOf(experiment.text("lora.dtype"));
        }
    }
    selectTrainable(planned.units, experiment.text("model.trainable"));
    if (contract::isPolicyAlgorithm(experiment.text("algorithm.name")))
        planned.sample.reset();
    return planned;
}

}  // namespace engine
