// Evaluates a model of captioned images or videos: its held-out loss, and samples for prompts.
#pragma once
#include "engine/comm/group.h"
#include "engine/diffusion/flow_matching.h"
#include "engine/diffusion/guided_sampler.h"
#include "engine/models/transformer/model.h"
#include "engine/pipeline/diffusion_pipeline.h"
#include "engine/tasks/prepared_images.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace engine {

/// The model under evaluation, its weights and the ranks. Everything it refers to must outlive it.
struct EvaluationContext {
    const Model& model;
    UnitSequence& units;
    Weights weights = Weights::Master;
    Group& ranks;                 ///< among which the rows are divided
    std::int64_t microBatch = 1;  ///< rows per rank in one pass
    double guidance = 1;          ///< guidance scale that a guidance-distilled model gets for the loss
    std::uint64_t seed = 0;
    c10::Device device {c10::DeviceType::CPU};
};

/// Returns the mean flow-matching loss over the held-out images; none when there are no such images. Each image has one fixed noise
/// level and fixed noise. Collective. The result is the same on all ranks and, up to rounding, for any number of ranks.
std::optional<double> heldOutLoss(const EvaluationContext& context, const PreparedImages& images, const SigmaRule& sigmas);

/// Square images or videos to draw, one per prompt.
struct SampleRequest {
    const std::vector<std::string>& prompts;
    const std::string& negative;
    std::int64_t edge = 0;    ///< in pixels
    std::int64_t frames = 1;  ///< frames per video; 1 for images
    SamplerOptions options = {};
};

/// Draws an image or video for each prompt. Sample i depends only on the seed, its prompt and i. Collective.
/// @param denoiser predicts with context.model, and with a second transformer where the pipeline has one
/// @param whenDenoised called before the autoencoder decodes: nothing is gathered, and the denoiser is not used any more
/// @return [prompts, 3, edge, edge] float32 in about [-1, 1] on the CPU, the same on every rank; for videos
///         [prompts · frames per video, 3, edge, edge], see spacedFrames()
at::Tensor drawPrompts(const EvaluationContext& context, const Denoiser& denoiser, const PreparedImages& images,
    const DiffusionPipeline& pipeline, const SampleRequest& request, const std::function<void()>& whenDenoised = [] {});

}  // namespace engine
