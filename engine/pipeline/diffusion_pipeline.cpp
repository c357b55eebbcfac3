#include "engine/pipeline/diffusion_pipeline.h"

#include "engine/comm/errors.h"
#include "engine/models/vae/autoencoder_registry.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/InferenceMode.h>

#include <map>

namespace engine {
namespace {

const std::map<std::string, PipelineTraits> kTraits = {
    {"AtelierPixelPipeline", {Guidance::Classifier, Spacing::Timesteps, 30, 3.0}},
    {"FluxPipeline", {Guidance::Distilled, Spacing::Sigmas, 28, 3.5}},
    {"QwenImagePipeline", {Guidance::ClassifierRescaled, Spacing::Sigmas, 50, 4.0}},
    {"StableDiffusion3Pipeline", {Guidance::Classifier, Spacing::Timesteps, 28, 7.0}},
    {"WanPipeline", {Guidance::Classifier, Spacing::Timesteps, 50, 5.0, 81, 16, 832, 480}},
};

PipelineTraits traitsOf(const contract::ModelFolder& folder)
{
    const auto found = kTraits.find(folder.className());
    if (found != kTraits.end()) {
        PipelineTraits traits = found->second;
        if (traits.guidance == Guidance::Distilled && !isGuidanceDistilled(folder)) {
            traits.steps = 4;  // FLUX.1 schnell
            traits.scale = 0;
        }
        return traits;
    }
    std::string known;
    for (const auto& [name, unused] : kTraits)
        known += (known.empty() ? "" : ", ") + name;
    if (!folder.isPipeline())
        throw EngineError(EngineError::Kind::WrongUsage,
            folder.root().string() + " holds a " + folder.className() + " alone; give the folder of a whole pipeline, with its model_index.json");
    const bool isEdit = folder.className().starts_with("QwenImageEdit");
    throw EngineError(EngineError::Kind::WrongUsage,
        folder.root().string() + " is a " + folder.className()
            + (isEdit ? ": it reads prompts together with images by Qwen2.5-VL's vision tower, which is not supported; supported: "
                      : ", which is not supported; supported: ")
            + known);
}

}  // namespace

DiffusionPipeline::DiffusionPipeline(const contract::ModelFolder& folder, const PromptEncoderOptions& options)
    : m_traits(traitsOf(folder))
    , m_schedule(flowMatchConfig(folder.config("scheduler")))
    , m_prompts(openPromptEncoder(folder, options))
    , m_device(options.device)
{
    if (!folder.has("vae")) {
        m_latentChannels = folder.config("transformer").count("in_channels");
        readSizes(folder);
        return;
    }
    const contract::JsonConfig config = folder.config("vae");
    m_autoencoderWeights = std::make_shared<CachedWeights>(std::make_shared<FileWeights>(
        WeightsSource(contract::SafetensorsSet(folder.component("vae"))), at::kFloat, options.device));
    m_autoencoder = buildAutoencoder(contract::classNameOf(config), config, m_autoencoderWeights);
    m_autoencoder->setMaxPixels(kMaxPixels);
    m_scaling = m_autoencoder->scaling();
    m_spatialFactor = m_autoencoder->spatialFactor();
    m_temporalFactor = m_autoencoder->temporalFactor();
    const bool isVideo = config.has("z_dim");
    m_latentChannels = config.count(isVideo ? "z_dim" : "latent_channels");
    m_autoencoderDims = isVideo ? 5 : 4;
    if (folder.has("transformer_2"))
        m_boundaryTimestep = contract::JsonConfig(folder.root() / "model_index.json").real("boundary_ratio", 0) * m_schedule.trainTimesteps;
    readSizes(folder);
}

void DiffusionPipeline::readSizes(const contract::ModelFolder& folder)
{
    const contract::JsonConfig config = folder.config("transformer");
    if (!config.has("pos_embed_max_size"))
        return;
    m_maxSide = config.count("pos_embed_max_size") * config.count("patch_size", 2) * m_spatialFactor;
    if (config.has("sample_size"))
        m_traits.width = m_traits.height = config.count("sample_size") * m_spatialFactor;
}

std::vector<std::int64_t> DiffusionPipeline::latentShape(std::int64_t height, std::int64_t width, std::int64_t frames) const
{
    const std::int64_t factor = m_spatialFactor, multiple = sizeStep();
    if (height < multiple || width < multiple || height % multiple != 0 || width % multiple != 0)
        throw EngineError(EngineError::Kind::WrongUsage,
            "images of " + std::to_string(width) + " × " + std::to_string(height) + " do not fit this model: width and height must be multiples of "
                + std::to_string(multiple));
    if (!m_traits.isVideo() && frames != 1)
        throw EngineError(EngineError::Kind::WrongUsage,
            "this model makes images, not videos of " + std::to_string(frames) + " frames");
    if (frames < 1 || (frames - 1) % m_temporalFactor != 0)
        throw EngineError(EngineError::Kind::WrongUsage, "videos of " + std::to_string(frames)
                + " frames do not fit this model: their number must be 1 more than a multiple of " + std::to_string(m_temporalFactor));
    if (m_traits.isVideo())
        return {m_latentChannels, 1 + (frames - 1) / m_temporalFactor, height / factor, width / factor};
    return {m_latentChannels, height / factor, width / factor};
}

NoiseLevels DiffusionPipeline::levels(std::int64_t steps, std::int64_t height, std::int64_t width, std::int64_t frames) const
{
    const auto shape = latentShape(height, width, frames);
    const auto area = (shape[shape.size() - 2] / 2) * (shape.back() / 2);
    return noiseLevels(m_schedule, m_traits.spacing, steps, m_traits.isVideo() ? shape[1] * area : area);
}

DiffusionPipeline::Latents DiffusionPipeline::encode(const at::Tensor& images) const
{
    const c10::InferenceMode noAutograd;
    const at::Tensor input = images.to(m_device, at::kFloat);
    if (!m_autoencoder)
        return {input, at::zeros_like(input)};
    const Posterior distribution = posterior(m_autoencoder->encode(addsFrames() ? input.unsqueeze(2) : input));
    // Scaling is affine, so the scaled deviation is the scaled difference of two points.
    const at::Tensor mean = m_scaling.toModel(distribution.mean);
    const at::Tensor deviation = m_scaling.toModel(distribution.mean + distribution.deviation()) - mean;
    return addsFrames() ? Latents {mean.squeeze(2), deviation.squeeze(2)} : Latents {mean, deviation};
}

at::Tensor DiffusionPipeline::decode(const at::Tensor& latents) const
{
    const c10::InferenceMode noAutograd;
    if (!m_autoencoder)
        return latents;
    const at::Tensor input = m_scaling.toAutoencoder(latents.to(m_device, at::kFloat));
    const at::Tensor images = m_autoencoder->decode(addsFrames() ? input.unsqueeze(2) : input);
    return addsFrames() ? images.squeeze(2) : images;
}

void DiffusionPipeline::release()
{
    if (m_autoencoderWeights)
        m_autoencoderWeights->release();
}

}  // namespace engine
