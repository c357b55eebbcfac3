// All of a pipeline's folder but its transformer: what prompts say, where noise levels lie, and how latents become pictures.
// Dims: B pictures of H × W, or clips of F such frames. Latents are smaller by the autoencoder's factors f and t.
#pragma once
#include "engine/contract/model_folder.h"
#include "engine/diffusion/guided_sampler.h"
#include "engine/model/autoencoder/autoencoder.h"
#include "engine/model/file_weights.h"
#include "engine/pipeline/prompt_encoder.h"

#include <memory>
#include <string>
#include <vector>

namespace engine {

/// What the class of a pipeline decides, and for FLUX.1 which of the models it is. Values are those of diffusers' pipelines.
struct PipelineTraits {
    Guidance guidance = Guidance::Classifier;
    Spacing spacing = Spacing::Timesteps;
    std::int64_t steps = 0;  ///< unless somebody asks for others
    double scale = 0;        ///< of guidance, likewise
    std::int64_t frames = 1; ///< of a clip, likewise; 1: it makes pictures
    double frameRate = 0;    ///< of clips, per second
    std::int64_t width = 1024, height = 1024;  ///< in pixels, likewise

    bool isVideo() const { return frames > 1; }
};

class DiffusionPipeline {
public:
    /// Weights are mapped, and read when they are used. @param options of the prompt encoders; the autoencoder computes on
    /// the same device in float32.
    /// @throws std::runtime_error, EngineError naming what the folder lacks or what is not known here.
    DiffusionPipeline(const contract::ModelFolder& folder, const PromptEncoderOptions& options);

    const PipelineTraits& traits() const { return m_traits; }
    c10::Device device() const { return m_device; }

    PromptFeatures features(std::span<const std::string> prompts) const { return m_prompts->encode(prompts); }

    /// [C, H / f, W / f] of one picture's latents, [C, 1 + (F - 1) / t, H / f, W / f] of a clip's.
    /// @throws EngineError WrongUsage for a size that the autoencoder and patches of 2 × 2 do not divide, or another number
    ///         of frames than 1 + t k; of more than one where the pipeline makes pictures.
    std::vector<std::int64_t> latentShape(std::int64_t height, std::int64_t width, std::int64_t frames = 1) const;

    /// What widths and heights must be multiples of.
    std::int64_t sizeStep() const { return 2 * m_spatialFactor; }

    NoiseLevels levels(std::int64_t steps, std::int64_t height, std::int64_t width, std::int64_t frames = 1) const;

    /// Timesteps below it are the folder's transformer_2's; 0: it has one transformer.
    double secondTimestep() const { return m_secondTimestep; }
    double secondSigma() const { return m_secondTimestep / m_schedule.trainTimesteps; }  ///< the same as a noise level

    /// t, which the frames of a clip but one are a multiple of.
    std::int64_t temporalFactor() const { return m_temporalFactor; }

    /// As many frames as a clip can have that has at most @p most; 1 where the pipeline makes pictures.
    std::int64_t framesWithin(std::int64_t most) const { return m_traits.isVideo() ? 1 + (most - 1) / m_temporalFactor * m_temporalFactor : 1; }

    /// What the autoencoder makes of pictures: a normal distribution, scaled as the transformer takes it.
    struct Latents {
        at::Tensor mean, deviation;  ///< [B, C, (1 + (F - 1) / t,) H / f, W / f] float32
    };
    /// @param pictures [B, 3, (F,) H, W] in [-1, 1]
    Latents encode(const at::Tensor& pictures) const;

    /// The way back. @return [B, 3, (F,) H, W], about [-1, 1]
    at::Tensor decode(const at::Tensor& latents) const;

    /// More pixels than these, of a batch or of one picture or frame, do not go through the autoencoder at once (1448 × 1448, beyond
    /// what any of the pipelines draws unasked): samples then follow each other, and pictures that are larger go in tiles.
    static constexpr std::int64_t kMostPixels = 2 * 1024 * 1024;

    /// The autoencoder leaves the device. Its next use reads it from the folder again.
    void release();

private:
    /// Whether pictures are clips of one frame for the autoencoder, though not for the transformer.
    bool addsFrames() const { return m_autoencoderRank == 5 && !m_traits.isVideo(); }

    PipelineTraits m_traits;
    FlowMatchConfig m_schedule;
    std::unique_ptr<PromptEncoder> m_prompts;
    std::shared_ptr<KeptWeights> m_autoencoderWeights;
    std::unique_ptr<Autoencoder> m_autoencoder;  ///< nullptr: the transformer draws pixels
    LatentScaling m_scaling;
    std::int64_t m_latentChannels = 0;
    std::int64_t m_spatialFactor = 1, m_temporalFactor = 1;
    double m_secondTimestep = 0;
    std::int64_t m_autoencoderRank = 4;  ///< dimensions of what the autoencoder takes: 5 with frames
    c10::Device m_device;
};

}  // namespace engine
