// What a model of captioned pictures has learnt: its loss on held-out ones, and pictures of prompts.
#pragma once
#include "engine/comm/group.h"
#include "engine/diffusion/flow_matching.h"
#include "engine/diffusion/guided_sampler.h"
#include "engine/model/model.h"
#include "engine/pipeline/diffusion_pipeline.h"
#include "engine/train/prepared_pictures.h"

#include <cstdint>
#include <string>
#include <vector>

namespace engine {

/// Where a model is evaluated, and with which weights. Everything referred to outlives it.
struct EvaluationPlace {
    const Model& model;
    UnitSequence& units;
    Weights weights = Weights::Master;
    Group& ranks;                 ///< that divide the rows
    std::int64_t microBatch = 1;  ///< rows of a rank in one pass
    double guidance = 1;          ///< that a guidance-distilled model is told for the loss
    std::uint64_t seed = 0;
    c10::Device device {c10::DeviceType::CPU};
};

/// Mean flow-matching loss over the held-out pictures, each at one noise level and noise that are always the same.
/// Collective; the same on all ranks and for any number of them, up to rounding. @return NaN when there are none.
double heldOutLoss(const EvaluationPlace& place, const PreparedPictures& pictures, const SigmaRule& sigmas);

/// Squares that show prompts.
struct SampleRequest {
    const std::vector<std::string>& prompts;
    const std::string& negative;
    std::int64_t edge = 0;    ///< in pixels
    std::int64_t frames = 1;  ///< of a clip, 1 of a picture
    SamplerOptions options = {};
};

/// A picture or clip of each prompt; number i depends on the seed, the prompt and i alone. Collective.
/// @param denoiser of place.model, and whatever else draws
/// @return [prompts, 3, edge, edge] float32 in about [-1, 1] on the CPU, the same on every rank; of clips [prompts · shown
///         frames, 3, edge, edge], see filmStrips()
at::Tensor drawPrompts(const EvaluationPlace& place, const Denoiser& denoiser, const PreparedPictures& pictures, const DiffusionPipeline& pipeline,
    const SampleRequest& asked);

}  // namespace engine
