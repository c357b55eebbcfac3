#include "engine/pipeline/diffusion_pipeline.h"

#include "engine/comm/errors.h"
#include "engine/model/autoencoder/autoencoder_registry.h"

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
    const bool isEdit = folder.className().starts_with("QwenImageEdit");
    throw EngineError(EngineError::Kind::WrongUsage,
        folder.root().string() + " is a " + folder.className()
            + (isEdit ? ": it reads prompts together with pictures by Qwen2.5-VL's vision tower, which is not known here; known: "
                      : ", which is not known here; known: ")
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
        return;
    }
    const contract::JsonConfig config = folder.config("vae");
    m_autoencoderWeights = std::make_shared<KeptWeights>(std::make_shared<FileWeights>(
        WeightsSource(contract::SafetensorsSet(folder.component("vae"))), at::kFloat, options.device));
    m_autoencoder = buildAutoencoder(contract::classNameOf(config), config, m_autoencoderWeights);
    m_autoencoder->setMostPixels(kMostPixels);
    m_scaling = m_autoencoder->scaling();
    m_spatialFactor = m_autoencoder->spatialFactor();
    m_temporalFactor = m_autoencoder->temporalFactor();
    const bool isVideo = config.has("z_dim");
    m_latentChannels = config.count(isVideo ? "z_dim" : "latent_channels");
    m_autoencoderRank = isVideo ? 5 : 4;
    if (folder.has("transformer_2"))
        m_secondTimestep = contract::JsonConfig(folder.root() / "model_index.json").real("boundary_ratio", 0) * m_schedule.trainTimesteps;
}

std::vector<std::int64_t> DiffusionPipeline::latentShape(std::int64_t height, std::int64_t width, std::int64_t frames) const
{
    const std::int64_t factor = m_spatialFactor, multiple = sizeStep();
    if (height < multiple || width < multiple || height % multiple != 0 || width % multiple != 0)
        throw EngineError(EngineError::Kind::WrongUsage,
            "pictures of " + std::to_string(width) + " × " + std::to_string(height) + " do not fit this model: width and height must be multiples of "
                + std::to_string(multiple));
    if (!m_traits.isVideo() && frames != 1)
        throw EngineError(EngineError::Kind::WrongUsage,
            "clips of " + std::to_string(frames) + " frames are nothing that this model makes: it makes pictures");
    if (frames < 1 || (frames - 1) % m_temporalFactor != 0)
        throw EngineError(EngineError::Kind::WrongUsage, "clips of " + std::to_string(frames)
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

DiffusionPipeline::Latents DiffusionPipeline::encode(const at::Tensor& pictures) const
{
    const c10::InferenceMode noAutograd;
    const at::Tensor input = pictures.to(m_device, at::kFloat);
    if (!m_autoencoder)
        return {input, at::zeros_like(input)};
    const Posterior about = posterior(m_autoencoder->encode(addsFrames() ? input.unsqueeze(2) : input));
    // Scaling is linear: of a deviation it is what it does to a difference.
    const at::Tensor mean = m_scaling.toModel(about.mean), deviation = m_scaling.toModel(about.mean + about.deviation()) - mean;
    return addsFrames() ? Latents {mean.squeeze(2), deviation.squeeze(2)} : Latents {mean, deviation};
}

at::Tensor DiffusionPipeline::decode(const at::Tensor& latents) const
{
    const c10::InferenceMode noAutograd;
    if (!m_autoencoder)
        return latents;
    const at::Tensor input = m_scaling.toAutoencoder(latents.to(m_device, at::kFloat));
    const at::Tensor pictures = m_autoencoder->decode(addsFrames() ? input.unsqueeze(2) : input);
    return addsFrames() ? pictures.squeeze(2) : pictures;
}

void DiffusionPipeline::release()
{
    if (m_autoencoderWeights)
        m_autoencoderWeights->release();
}

}  // namespace engine
