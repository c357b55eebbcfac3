// From noise to pictures or latents along a model's velocity, guided by what they shall show.
// Dims: B samples; latents [B, C, H, W], of moving pictures [B, C, F, H, W], float32 on the model's device.
#pragma once
#include "engine/diffusion/flow_match_schedule.h"
#include "engine/model/model.h"

#include <functional>
#include <optional>
#include <vector>

namespace engine {

/// What a person asks of samples while training.
struct SamplerOptions {
    std::int64_t steps = 30;
    double guidanceScale = 1;
};

/// How one velocity is made of what a model says (rows ).
enum class Guidance {
    Classifier,          ///< v_neg + scale · (v_pos - v_neg)
    ClassifierRescaled,  ///< the same, then each 2 × 2 × C token as long as in v_pos
    Distilled            ///< the model is told the scale
};

struct GuidanceOptions {
    Guidance kind = Guidance::Classifier;
    double scale = 1;  ///< of the classifier kinds: 1 or less is off
};

/// What samples shall show: inputs of the model without latents and noise levels, which the sampler adds.
struct Conditions {
    ModelInput positive;
    std::optional<ModelInput> negative;  ///< needed for the two classifier kinds beyond scale 1

    /// What the pictures begin from, in both (row E-014): see ModelInput::references, which the two themselves leave empty.
    std::vector<at::Tensor> references = {};
};

/// Says a model's velocity, [B, …] as the latents. Collective. @param timestep as the schedule counts them, the same in all rows
using Denoiser = std::function<at::Tensor(const ModelInput& input, double timestep)>;

/// Called after step i with the latents then.
using StepObserver = std::function<void(std::int64_t step, const at::Tensor& latents)>;

/// Follows the levels with their solver, in float32. Guidance asks the model about both conditions in one pass, the shorter
/// prompt padded and masked, so that sharded parameters are gathered once a step. Collective: every rank calls it with its
/// own rows, at least one, inside an EvaluationScope.
/// @throws EngineError WrongUsage when a negative condition is needed and not there, or one brings references of its own, or the
///         denoiser says something of another shape than the latents'.
at::Tensor sampleGuided(const Denoiser& denoiser, const at::Tensor& noise, const Conditions& conditions, const NoiseLevels& levels,
    const GuidanceOptions& guidance, const StepObserver& observer = {});

/// The same with one model for all noise levels.
at::Tensor sampleGuided(const Model& model, UnitSequence& units, const at::Tensor& noise, const Conditions& conditions,
    const NoiseLevels& levels, const GuidanceOptions& guidance, const StepObserver& observer = {});

/// How long each 2 × 2 × C token of @p x is. @param x [B, C, (F,) H, W], H and W even → [B, 1, (F,) H, W]
at::Tensor tokenNorms(const at::Tensor& x);

}  // namespace engine
