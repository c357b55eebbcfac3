#include "engine/diffusion/guidance.h"

#include "engine/diffusion/pairwise_sum.h"

#include <ATen/TensorOperators.h>

#include <cmath>

namespace engine {

at::Tensor guided(const at::Tensor& positive, const at::Tensor& negative, const GuidanceOptions& guidance)
{
    const at::Tensor combined = negative + (positive - negative) * guidance.scale;
    if (guidance.kind != Guidance::ClassifierRescaled)
        return combined;
    return combined * (tokenNorms(positive) / tokenNorms(combined));
}

at::Tensor tokenNorms(const at::Tensor& x)
{
    constexpr double kLeast = 1e-12;
    const at::Tensor squares = pairwiseSum(x * x, 1).unsqueeze(1);
    auto shape = squares.sizes().vec();
    const std::int64_t height = shape[shape.size() - 2], width = shape.back();
    shape.resize(shape.size() - 2);
    auto tokens = shape;
    tokens.insert(tokens.end(), {height / 2, 2, width / 2, 2});
    // The root has no gradient at 0, so that it is not taken there.
    const at::Tensor sums = pairwiseSum(pairwiseSum(squares.reshape(tokens), -1), -2);
    const at::Tensor norms = sums.clamp_min(kLeast * kLeast).sqrt().unsqueeze(-1).unsqueeze(-3);
    shape.insert(shape.end(), {height, width});
    return norms.expand(tokens).reshape(shape);
}

}  // namespace engine
