// From noise to latents along a model's velocity, guided by prompts.
// Dims: B pictures; latents [B, C, H, W], of moving pictures [B, C, F, H, W], float32 on the model's device.
#pragma once
#include "engine/diffusion/flow_match_schedule.h"
#include "engine/model/model.h"
#include "engine/pipeline/prompt_encoder.h"

#include <functional>
#include <optional>
#include <string>

namespace engine {

/// How a pipeline makes one velocity of what its transformer says (rows ).
enum class Guidance {
    Classifier,          ///< v_neg + scale · (v_pos - v_neg)
    ClassifierRescaled,  ///< the same, then each 2 × 2 × C token as long as in v_pos
    Distilled            ///< the transformer is told the scale
};

struct GuidedPrompts {
    PromptFeatures positive;
    std::optional<PromptFeatures> negative;  ///< needed for the two classifier kinds beyond scale 1
};

struct GuidanceOptions {
    Guidance kind = Guidance::Classifier;
    double scale = 1;
};

/// Called after step i with the latents then.
using StepObserver = std::function<void(std::int64_t step, const at::Tensor& latents)>;

/// Euler steps x ← x + (σ_next - σ) v, in float32. Collective: every rank calls it with its own rows, at least one, inside an
/// EvaluationScope.
/// @throws EngineError WrongUsage when a negative prompt is needed and not there.
at::Tensor sampleGuided(const Model& model, UnitSequence& units, const at::Tensor& noise, const GuidedPrompts& prompts,
    const NoiseLevels& levels, const GuidanceOptions& guidance, const StepObserver& observer = {});

/// How long each 2 × 2 × C token of @p x is. @param x [B, C, (F,) H, W], H and W even → [B, 1, (F,) H, W]
at::Tensor tokenNorms(const at::Tensor& x);

}  // namespace engine
