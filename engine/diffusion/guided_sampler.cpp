#include "engine/pipeline/guided_sampler.h"

#include "engine/comm/errors.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>

namespace engine {
namespace {

ModelInput inputFor(const at::Tensor& latents, float sigma, const PromptFeatures& prompts)
{
    ModelInput input;
    input.latents = latents;
    input.sigmas = at::full({latents.size(0)}, sigma, latents.options());
    input.prompt = prompts.embeds;
    input.promptMask = prompts.mask;
    input.pooled = prompts.pooled;
    return input;
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

at::Tensor sampleGuided(const Model& model, UnitSequence& units, const at::Tensor& noise, const GuidedPrompts& prompts,
    const NoiseLevels& levels, const GuidanceOptions& guidance, const StepObserver& observer)
{
    const at::NoGradGuard noGrad;
    const bool takesTwo = guidance.kind != Guidance::Distilled && guidance.scale > 1;
    if (takesTwo && !prompts.negative)
        throw EngineError(EngineError::Kind::WrongUsage, "guidance needs a negative prompt, which may be empty");
    at::Tensor x = noise.clone();
    for (std::size_t i = 0; i + 1 < levels.sigmas.size(); ++i) {
        ModelInput input = inputFor(x, levels.sigmas[i], prompts.positive);
        if (guidance.kind == Guidance::Distilled)
            input.guidance = at::full({x.size(0)}, guidance.scale, x.options());
        at::Tensor velocity = predict(model, units, input);
        if (takesTwo) {
            const at::Tensor negative = predict(model, units, inputFor(x, levels.sigmas[i], *prompts.negative));
            const at::Tensor combined = negative + (velocity - negative) * guidance.scale;
            velocity = guidance.kind == Guidance::ClassifierRescaled
                ? combined * (tokenNorms(velocity) / tokenNorms(combined).clamp_min(1e-12))
                : combined;
        }
        x.add_(velocity, static_cast<double>(levels.sigmas[i + 1]) - static_cast<double>(levels.sigmas[i]));
        if (observer)
            observer(static_cast<std::int64_t>(i), x);
    }
    return x;
}

}  // namespace engine
