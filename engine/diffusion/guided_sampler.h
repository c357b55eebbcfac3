// Samples latents (or pixels) from noise along a model's velocity, with guidance.
// Dims: B samples; latents [B, C, H, W], of videos [B, C, F, H, W], float32 on the model's device.
#pragma once
#include "engine/diffusion/flow_solver.h"
#include "engine/diffusion/guidance.h"
#include "engine/models/transformer/model.h"

#include <functional>
#include <optional>
#include <vector>

namespace engine {

/// The user's options for samples during training.
struct SamplerOptions {
    std::int64_t steps = 30;
    double guidanceScale = 1;
};

/// Model inputs that describe the samples. The sampler adds latents and noise levels.
struct Conditions {
    ModelInput positive;
    std::optional<ModelInput> negative;  ///< required for the two classifier kinds with a scale above 1

    /// Reference images for both conditions (row E-014), see ModelInput::references. `positive` and `negative` must have none.
    std::vector<at::Tensor> references = {};
};

/// Returns the part of a model's input that is the same for all noise levels: all but latents, sigmas and guidance. With
/// @p usesNegative, the negative rows follow the positive ones, the shorter prompt padded and masked.
/// @throws EngineError WrongUsage when the negative condition is missing, or a condition has references of its own.
ModelInput denoiserInput(const Conditions& conditions, bool usesNegative);

/// Returns a model's velocity in the shape of the latents. Collective. @param timestep in the schedule's unit, for all rows
using Denoiser = std::function<at::Tensor(const ModelInput& input, double timestep)>;

/// Called after each step with the new latents.
using StepObserver = std::function<void(std::int64_t step, const at::Tensor& latents)>;

/// Runs the levels' solver from @p noise in float32 and returns the final latents. With guidance, both conditions go through
/// the model in one pass (the shorter prompt padded and masked), so that sharded parameters are gathered only once per step.
/// Collective: every rank calls it with its own rows, at least one, inside an EvaluationScope.
/// @param stepNoise required for stochastic levels, see makeSolver()
/// @throws EngineError WrongUsage when a required negative condition is missing, a condition has references of its own, or the
///         denoiser's result does not have the shape of the latents.
at::Tensor sampleGuided(const Denoiser& denoiser, const at::Tensor& noise, const Conditions& conditions, const NoiseLevels& levels,
    const GuidanceOptions& guidance, const StepObserver& observer = {}, const StepNoise& stepNoise = {});

/// The same with one model for all noise levels.
at::Tensor sampleGuided(const Model& model, UnitSequence& units, const at::Tensor& noise, const Conditions& conditions,
    const NoiseLevels& levels, const GuidanceOptions& guidance, const StepObserver& observer = {}, const StepNoise& stepNoise = {});

}  // namespace engine
