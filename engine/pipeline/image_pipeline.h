// All of a pipeline's folder but its transformer: what prompts say, where noise levels lie, and how latents become pictures.
// Dims: B pictures of H × W.
#pragma once
#include "engine/contract/model_folder.h"
#include "engine/model/autoencoder/autoencoder.h"
#include "engine/pipeline/guided_sampler.h"
#include "engine/pipeline/prompt_encoder.h"

#include <memory>
#include <string>
#include <vector>

namespace engine {

/// What the class of a pipeline decides. Values are those of diffusers' pipelines.
struct PipelineTraits {
    Guidance guidance = Guidance::Classifier;
    Spacing spacing = Spacing::Timesteps;
    std::int64_t steps = 0;  ///< unless somebody asks for others
    double scale = 0;        ///< of guidance, likewise
};

class ImagePipeline {
public:
    /// Weights are mapped, and read when they are used. @param options of the prompt encoders; the autoencoder computes on
    /// the same device in float32.
    /// @throws std::runtime_error, EngineError naming what the folder lacks or what is not known here.
    ImagePipeline(const contract::ModelFolder& folder, const PromptEncoderOptions& options);

    const PipelineTraits& traits() const { return m_traits; }

    PromptFeatures features(std::span<const std::string> prompts) const { return m_prompts->encode(prompts); }

    /// [C, H / f, W / f] of one picture's latents, where f is the autoencoder's factor.
    /// @throws EngineError WrongUsage for a size that the autoencoder and patches of 2 × 2 do not divide.
    std::vector<std::int64_t> latentShape(std::int64_t height, std::int64_t width) const;

    NoiseLevels levels(std::int64_t steps, std::int64_t height, std::int64_t width) const;

    /// What the autoencoder makes of pictures: a normal distribution, scaled as the transformer takes it.
    struct Latents {
        at::Tensor mean, deviation;  ///< [B, C, H / f, W / f] float32
    };
    /// @param pictures [B, 3, H, W] in [-1, 1]
    Latents encode(const at::Tensor& pictures) const;

    /// The way back. @param latents [B, C, H / f, W / f] @return [B, 3, H, W], about [-1, 1]
    at::Tensor decode(const at::Tensor& latents) const;

private:
    bool hasFrames() const { return m_autoencoderRank == 5; }

    PipelineTraits m_traits;
    FlowMatchConfig m_schedule;
    std::unique_ptr<PromptEncoder> m_prompts;
    std::unique_ptr<Autoencoder> m_autoencoder;
    LatentScaling m_scaling;
    std::int64_t m_latentChannels = 0;
    std::int64_t m_autoencoderRank = 4;  ///< dimensions of what the autoencoder takes: 5 with frames
    c10::Device m_device;
};

}  // namespace engine
