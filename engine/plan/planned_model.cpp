#include "engine/plan/planned_model.h"

#include "engine/contract/adapters/adapter_file.h"
#include "engine/contract/experiment/policy_settings.h"
#include "engine/contract/formats/model_folder.h"
#include "engine/data/image_folder.h"
#include "engine/lora/adapter_source.h"
#include "engine/lora/adapters.h"
#include "engine/models/registry.h"
#include "engine/models/trainable.h"
#include "engine/pipeline/hashed_words.h"
#include "engine/tasks/engine_options.h"
#include "engine/tasks/new_model.h"

#include <ATen/ops/zeros.h>

#include <algorithm>

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
    planned.promptWidth = planned.pooledWidth = HashedWords::kWidth;
    const std::int64_t side = experiment.integer("data.resolution");
    planned.sample = ModelInput {.latents = at::zeros({1, 3, side, side}), .sigmas = at::zeros({1}), .labels = {},
        .prompt = at::zeros({1, HashedWords::kWords, HashedWords::kWidth}), .pooled = at::zeros({1, HashedWords::kWidth})};
}

/// Of the captions, the one with the most tokens; empty where prompts are padded to one length.
std::string longestCaption(const contract::Experiment& experiment, const DiffusionPipeline& pipeline)
{
    std::string longest;
    std::int64_t most = pipeline.promptLength({});
    const std::string& folder = experiment.text("data.folder");
    if (most == pipeline.promptLength("a longer one") || folder.empty())
        return longest;
    for (const ImageEntry& image : scanImageFolder(folder, experiment.boolean("data.folder_repeats")).images) {
        if (const std::int64_t tokens = pipeline.promptLength(image.caption); tokens > most) {
            most = tokens;
            longest = image.caption;
        }
    }
    return longest;
}

void planFolder(const contract::Experiment& experiment, PlannedModel& planned)
{
    const contract::ModelFolder folder(experiment.text("model.folder"));
    const contract::JsonConfig config = folder.config(experiment.text("model.component"));
    planned.model = buildTransformer(config, {{experiment.integer("engine.wrap.min_params"), experiment.text("engine.wrap.keep_in_root")}});
    planned.pipeline = std::make_unique<DiffusionPipeline>(folder, PromptEncoderOptions {.dtype = dtypeOf(experiment.text("engine.compute_dtype"))});
    planned.longestCaption = longestCaption(experiment, *planned.pipeline);
    const std::int64_t side = experiment.integer("data.resolution");
    std::vector<std::int64_t> shape
        = planned.pipeline->latentShape(side, side, planned.pipeline->framesWithin(experiment.integer("data.frames")));
    shape.insert(shape.begin(), 1);
    planned.promptWidth = config.count(config.has("joint_attention_dim") ? "joint_attention_dim" : "text_dim");
    if (config.has("pooled_projection_dim"))
        planned.pooledWidth = config.count("pooled_projection_dim");
    planned.sample = ModelInput {.latents = at::zeros(shape), .sigmas = at::zeros({1}), .labels = {},
        .prompt = at::zeros({1, planned.pipeline->promptLength(planned.longestCaption), planned.promptWidth})};
    if (planned.pooledWidth > 0)
        planned.sample->pooled = at::zeros({1, planned.pooledWidth});
    planned.sample->guidance = at::zeros({1});
}

}  // namespace

std::optional<ModelInput> PlannedModel::input(std::int64_t samples) const
{
    if (!sample)
        return std::nullopt;
    return ModelInput {.latents = expanded(sample->latents, samples), .sigmas = expanded(sample->sigmas, samples),
        .labels = expanded(sample->labels, samples), .prompt = expanded(sample->prompt, samples), .pooled = expanded(sample->pooled, samples),
        .guidance = expanded(sample->guidance, samples)};
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
        planned.adapterLayers = file.empty() ? newAdapterLayers(experiment, *planned.model)
                                             : adapterLayers(contract::readAdapter(file, linearModules(planned.units)));
        if (!planned.adapterLayers.empty()) {
            declareAdapters(planned.units, planned.adapterLayers, {kDefaultAdapter}, AdapterInit::Gaussian);
            planned.trainedDtype = dtypeOf(experiment.text("lora.dtype"));
        }
    }
    selectTrainable(planned.units, experiment.text("model.trainable"));
    if (contract::isPolicyAlgorithm(experiment.text("algorithm.name")))
        planned.sample.reset();
    return planned;
}

}  // namespace engine
