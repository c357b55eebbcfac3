// A diffusion pipeline without its transformer: prompt encoders, noise levels, and the autoencoder between images and latents.
// Dims: B images of H × W, or videos of F such frames. Latents are smaller by the autoencoder's spatial factor f and temporal
// factor t.
#pragma once
#include "engine/contract/formats/model_folder.h"
#include "engine/diffusion/guided_sampler.h"
#include "engine/models/vae/autoencoder.h"
#include "engine/pipeline/prompt_encoder.h"
#include "engine/weights/file_weights.h"

#include <memory>
#include <string>
#include <vector>

namespace engine {

/// Defaults that follow from the class of a pipeline, and for FLUX.1 also from the model. The values are those of diffusers.
struct PipelineTraits {
    Guidance guidance = Guidance::Classifier;
    Spacing spacing = Spacing::Timesteps;
    std::int64_t steps = 0;   ///< default number of steps
    double scale = 0;         ///< default guidance scale
    std::int64_t frames = 1;  ///< default number of frames of a video; 1: the pipeline makes images
    double frameRate = 0;     ///< frames per second of videos
    std::int64_t width = 1024, height = 1024;  ///< default size, in pixels; of Stable Diffusion 3, that of its transformer

    bool isVideo() const { return frames > 1; }
};

class DiffusionPipeline {
public:
    /// Maps the weights; they are read when they are first used.
    /// @param options for the prompt encoders; the autoencoder computes on the same device in float32
    /// @throws std::runtime_error or EngineError naming what the folder lacks or what is not supported.
    DiffusionPipeline(const contract::ModelFolder& folder, const PromptEncoderOptions& options);

    const PipelineTraits& traits() const { return m_traits; }
    c10::Device device() const { return m_device; }

    PromptFeatures features(std::span<const std::string> prompts) const { return m_prompts->encode(prompts); }

    /// Says which encoders do not read all of a prompt; empty when they do.
    std::string truncationNotice(const std::string& prompt) const { return engine::truncationNotice(*m_prompts, prompt); }

    /// The number of tokens of a prompt's features when it is encoded alone.
    std::int64_t promptLength(const std::string& prompt) const { return m_prompts->length(prompt); }

    /// Shape of one sample's latents: [C, H / f, W / f] for an image, [C, 1 + (F - 1) / t, H / f, W / f] for a video.
    /// @throws EngineError WrongUsage for a height or width that is not a multiple of sizeStep(), a number of frames that is
    ///         not 1 + t k, or more than one frame where the pipeline makes images.
    std::vector<std::int64_t> latentShape(std::int64_t height, std::int64_t width, std::int64_t frames = 1) const;

    /// Widths and heights must be multiples of this: patches of 2 × 2 latent elements.
    std::int64_t sizeStep() const { return 2 * m_spatialFactor; }

    /// The greatest width and height that the transformer takes, in pixels; 0: any.
    std::int64_t maxSide() const { return m_maxSide; }

    NoiseLevels levels(std::int64_t steps, std::int64_t height, std::int64_t width, std::int64_t frames = 1) const;
    const FlowMatchConfig& schedule() const { return m_schedule; }

    /// Below this timestep the folder's transformer_2 is used instead of transformer; 0: there is only one transformer.
    double boundaryTimestep() const { return m_boundaryTimestep; }
    double boundarySigma() const { return m_boundaryTimestep / m_schedule.trainTimesteps; }  ///< the same as a noise level

    /// The factor t: a video has 1 + t k frames.
    std::int64_t temporalFactor() const { return m_temporalFactor; }

    /// The largest valid number of frames up to @p maxFrames; 1 where the pipeline makes images.
    std::int64_t framesWithin(std::int64_t maxFrames) const
    {
        return m_traits.isVideo() ? 1 + (maxFrames - 1) / m_temporalFactor * m_temporalFactor : 1;
    }

    /// The normal distribution that the autoencoder predicts for images, in the transformer's scaling.
    struct Latents {
        at::Tensor mean, deviation;  ///< mean and standard deviation, [B, C, (1 + (F - 1) / t,) H / f, W / f] float32
    };
    /// @param images [B, 3, (F,) H, W] in [-1, 1]
    Latents encode(const at::Tensor& images) const;

    /// @param latents in the transformer's scaling. @return images [B, 3, (F,) H, W], values about in [-1, 1]
    at::Tensor decode(const at::Tensor& latents) const;

    /// The limit for Autoencoder::setMaxPixels(): 1448 × 1448, above the default size of every pipeline. Larger batches go
    /// through the autoencoder one sample at a time, larger images in tiles.
    static constexpr std::int64_t kMaxPixels = 2 * 1024 * 1024;

    /// Frees the autoencoder's weights. Its next use reads them from the folder again.
    void release();

private:
    /// Reads the default size and the greatest one from the transformer's configuration, where it has them.
    void readSizes(const contract::ModelFolder& folder);

    /// Whether the autoencoder takes images as videos of one frame, while the transformer takes images.
    bool addsFrames() const { return m_autoencoderDims == 5 && !m_traits.isVideo(); }

    PipelineTraits m_traits;
    FlowMatchConfig m_schedule;
    std::unique_ptr<PromptEncoder> m_prompts;
    std::shared_ptr<CachedWeights> m_autoencoderWeights;
    std::unique_ptr<Autoencoder> m_autoencoder;  ///< null: the transformer generates pixels directly
    LatentScaling m_scaling;
    std::int64_t m_latentChannels = 0;
    std::int64_t m_spatialFactor = 1, m_temporalFactor = 1;
    std::int64_t m_maxSide = 0;
    double m_boundaryTimestep = 0;
    std::int64_t m_autoencoderDims = 4;  ///< number of dims of the autoencoder's input: 5 with frames
    c10::Device m_device;
};

}  // namespace engine
