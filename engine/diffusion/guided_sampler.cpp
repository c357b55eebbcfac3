#include "engine/diffusion/guided_sampler.h"

#include "engine/comm/errors.h"
#include "engine/diffusion/flow_solver.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>

#include <algorithm>
#include <sstream>

namespace engine {
namespace {

at::Tensor underEachOther(const at::Tensor& first, const at::Tensor& second)
{
    return first.defined() ? at::cat({first, second}) : at::Tensor();
}

/// The rows of both, prompts as long as the longer one's.
ModelInput joined(const ModelInput& first, const ModelInput& second)
{
    ModelInput both;
    both.labels = underEachOther(first.labels, second.labels);
    both.pooled = underEachOther(first.pooled, second.pooled);
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
    const bool isWhole = !first.promptMask.defined() && !second.promptMask.defined() && first.prompt.size(1) == second.prompt.size(1);
    both.promptMask = isWhole ? at::Tensor() : at::cat({mask(first), mask(second)});
    return both;
}

/// What the denoiser is asked for all noise levels: a row for each picture, and below those one for each negative condition.
ModelInput asked(const Conditions& conditions, bool takesBoth)
{
    if (takesBoth && !conditions.negative)
        throw EngineError(EngineError::Kind::WrongUsage, "guidance needs a negative prompt, which may be empty");
    const bool hasOwn = !conditions.positive.references.empty() || (conditions.negative && !conditions.negative->references.empty());
    if (hasOwn)
        throw EngineError(EngineError::Kind::WrongUsage, "pictures to begin from are given for both conditions together, and for none alone");
    ModelInput input = takesBoth ? joined(conditions.positive, *conditions.negative) : conditions.positive;
    for (const at::Tensor& reference : conditions.references)
        input.references.push_back(takesBoth ? underEachOther(reference, reference) : reference);
    return input;
}

void requireShape(const at::Tensor& velocity, const at::Tensor& latents)
{
    if (velocity.sizes() == latents.sizes())
        return;
    std::ostringstream text;
    text << "the model's prediction has shape " << velocity.sizes() << ", the latents have " << latents.sizes();
    throw EngineError(EngineError::Kind::WrongUsage, text.str());
}

at::Tensor guided(const at::Tensor& positive, const at::Tensor& negative, const GuidanceOptions& guidance)
{
    const at::Tensor combined = negative + (positive - negative) * guidance.scale;
    if (guidance.kind != Guidance::ClassifierRescaled)
        return combined;
    return combined * (tokenNorms(positive) / tokenNorms(combined).clamp_min(1e-12));
}

}  // namespace

at::Tensor tokenNorms(const at::Tensor& x)
{
    auto shape = x.sizes().vec();
    const std::int64_t height = shape[shape.size() - 2], width = shape.back();
    const at::Tensor squares = (x * x).sum(1, /*keepdim=*/true);
    shape = squares.sizes().vec();
    shape.resize(shape.size() - 2);
    auto tokens = shape;
    tokens.insert(tokens.end(), {height / 2, 2, width / 2, 2});
    const at::Tensor sums = squares.reshape(tokens).sum({-3, -1}, /*keepdim=*/true).sqrt();
    shape.insert(shape.end(), {height, width});
    return sums.expand(tokens).reshape(shape);
}

at::Tensor sampleGuided(const Model& model, UnitSequence& units, const at::Tensor& noise, const Conditions& conditions,
    const NoiseLevels& levels, const GuidanceOptions& guidance, const StepObserver& observer)
{
    const Denoiser denoiser = [&](const ModelInput& input, double) { return predict(model, units, input); };
    return sampleGuided(denoiser, noise, conditions, levels, guidance, observer);
}

at::Tensor sampleGuided(const Denoiser& denoiser, const at::Tensor& noise, const Conditions& conditions, const NoiseLevels& levels,
    const GuidanceOptions& guidance, const StepObserver& observer)
{
    const at::NoGradGuard noGrad;
    const bool takesBoth = guidance.kind != Guidance::Distilled && guidance.scale > 1;
    ModelInput input = asked(conditions, takesBoth);
    const std::int64_t rows = noise.size(0) * (takesBoth ? 2 : 1);
    if (guidance.kind == Guidance::Distilled)
        input.guidance = at::full({rows}, guidance.scale, noise.options());
    const auto solver = makeSolver(levels);
    at::Tensor latents = noise;
    for (std::size_t step = 0; step < levels.timesteps.size(); ++step) {
        input.latents = takesBoth ? at::cat({latents, latents}) : latents;
        input.sigmas = at::full({rows}, levels.timesteps[step] / levels.trainTimesteps, noise.options());
        const at::Tensor velocity = denoiser(input, levels.timesteps[step]);
        requireShape(velocity, input.latents);
        const auto halves = velocity.chunk(takesBoth ? 2 : 1);
        latents = solver->next(latents, takesBoth ? guided(halves[0], halves[1], guidance) : velocity);
        if (observer)
            observer(static_cast<std::int64_t>(step), latents);
    }
    return latents;
}

}  // namespace engine
