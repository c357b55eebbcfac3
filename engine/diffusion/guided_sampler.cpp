#include "engine/diffusion/guided_sampler.h"

#include "engine/comm/errors.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>

#include <algorithm>
#include <sstream>

namespace engine {
namespace {

at::Tensor stackedRows(const at::Tensor& first, const at::Tensor& second)
{
    return first.defined() ? at::cat({first, second}) : at::Tensor();
}

/// The rows of both inputs. Pads and masks the shorter prompts to the length of the longer ones.
ModelInput joined(const ModelInput& first, const ModelInput& second)
{
    ModelInput both;
    both.labels = stackedRows(first.labels, second.labels);
    both.pooled = stackedRows(first.pooled, second.pooled);
    if (!first.prompt.defined())
        return both;
    const std::int64_t length = std::max(first.prompt.size(1), second.prompt.size(1));
    const auto padded = [&](const ModelInput& input) { return at::constant_pad_nd(input.prompt, {0, 0, 0, length - input.prompt.size(1)}); };
    const auto mask = [&](const ModelInput& input) {
        const at::Tensor own = input.promptMask.defined() ? input.promptMask
                                                          : at::ones(input.prompt.sizes().slice(0, 2), input.prompt.options().dtype(at::kBool));
        return at::constant_pad_nd(own, {0, length - own.size(1)});
    };
    both.prompt = at::cat({padded(first), padded(second)});
    const bool isUnmasked = !first.promptMask.defined() && !second.promptMask.defined()
        && first.prompt.size(1) == second.prompt.size(1);
    both.promptMask = isUnmasked ? at::Tensor() : at::cat({mask(first), mask(second)});
    return both;
}

void requireShape(const at::Tensor& velocity, const at::Tensor& latents)
{
    if (velocity.sizes() == latents.sizes())
        return;
    std::ostringstream text;
    text << "the model's prediction has shape " << velocity.sizes() << ", the latents have " << latents.sizes();
    throw EngineError(EngineError::Kind::WrongUsage, text.str());
}

}  // namespace

ModelInput denoiserInput(const Conditions& conditions, bool usesNegative)
{
    if (usesNegative && !conditions.negative)
        throw EngineError(EngineError::Kind::WrongUsage,
            "guidance with a scale above 1 needs a negative prompt, which may be empty");
    const bool hasOwnReferences = !conditions.positive.references.empty()
        || (conditions.negative && !conditions.negative->references.empty());
    if (hasOwnReferences)
        throw EngineError(EngineError::Kind::WrongUsage,
            "reference images must be given once for both conditions together, not in the positive or negative input");
    ModelInput input = usesNegative ? joined(conditions.positive, *conditions.negative) : conditions.positive;
    for (at::Tensor* const tensor : {&input.prompt, &input.promptMask, &input.pooled}) {
        if (tensor->defined())
            *tensor = tensor->contiguous();  // rows of one prompt may share memory
    }
    for (const at::Tensor& reference : conditions.references)
        input.references.push_back(usesNegative ? stackedRows(reference, reference) : reference);
    return input;
}

at::Tensor sampleGuided(const Model& model, UnitSequence& units, const at::Tensor& noise, const Conditions& conditions,
    const NoiseLevels& levels, const GuidanceOptions& guidance, const StepObserver& observer, const StepNoise& stepNoise)
{
    const Denoiser denoiser = [&](const ModelInput& input, double) { return predict(model, units, input); };
    return sampleGuided(denoiser, noise, conditions, levels, guidance, observer, stepNoise);
}

at::Tensor sampleGuided(const Denoiser& denoiser, const at::Tensor& noise, const Conditions& conditions, const NoiseLevels& levels,
    const GuidanceOptions& guidance, const StepObserver& observer, const StepNoise& stepNoise)
{
    const at::NoGradGuard noGrad;
    const bool usesNegative = guidance.usesNegative();
    ModelInput input = denoiserInput(conditions, usesNegative);
    const std::int64_t rows = noise.size(0) * (usesNegative ? 2 : 1);
    if (guidance.kind == Guidance::Distilled)
        input.guidance = at::full({rows}, guidance.scale, noise.options());
    const auto solver = makeSolver(levels, stepNoise);
    at::Tensor latents = noise;
    for (std::size_t step = 0; step < levels.timesteps.size(); ++step) {
        input.latents = usesNegative ? at::cat({latents, latents}) : latents;
        input.sigmas = at::full({rows}, levels.timesteps[step] / levels.trainTimesteps, noise.options());
        const at::Tensor velocity = denoiser(input, levels.timesteps[step]);
        requireShape(velocity, input.latents);
        const auto halves = velocity.chunk(usesNegative ? 2 : 1);
        latents = solver->next(latents, usesNegative ? guided(halves[0], halves[1], guidance) : velocity);
        if (observer)
            observer(static_cast<std::int64_t>(step), latents);
    }
    return latents;
}

}  // namespace engine
