#include "engine/diffusion/euler_sampler.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>

namespace engine {

at::Tensor sampleEuler(const Model& model, UnitSequence& units, const at::Tensor& noise,
    const at::Tensor& labels, const SamplerOptions& options)
{
    const at::NoGradGuard noGrad;
    const bool isGuided = options.guidanceScale != 1;
    const at::Tensor bothLabels
        = isGuided ? at::cat({labels, at::full_like(labels, model.nullLabel())}) : labels;
    at::Tensor x = noise.clone();
    for (std::int64_t i = 0; i < options.steps; ++i) {
        const double sigma = 1 - static_cast<double>(i) / static_cast<double>(options.steps);
        const double next = 1 - static_cast<double>(i + 1) / static_cast<double>(options.steps);
        const at::Tensor input = isGuided ? at::cat({x, x}) : x;
        const auto sigmas = at::full({input.size(0)}, sigma, noise.options());
        at::Tensor velocity = predict(model, units, {input, sigmas, bothLabels});
        if (isGuided) {
            const auto halves = velocity.chunk(2);
            velocity = halves[1] + (halves[0] - halves[1]) * options.guidanceScale;
        }
        x.add_(velocity, next - sigma);
    }
    return x;
}

}  // namespace engine
