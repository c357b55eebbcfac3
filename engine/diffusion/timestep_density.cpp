#include "engine/diffusion/timestep_density.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones_like.h>

#include <numbers>
#include <stdexcept>
#include <string>

namespace engine {

at::Tensor distributed(const TimestepDensity& density, const at::Tensor& base)
{
    switch (density.kind) {
    case TimestepDensity::Kind::Uniform:
        return base;
    case TimestepDensity::Kind::LogitNormal:
        return (base * density.deviation + density.mean).sigmoid();
    case TimestepDensity::Kind::Mode:
        return 1 - base - ((base * (std::numbers::pi / 2)).cos().square() - 1 + base) * density.modeScale;
    }
    throw std::logic_error("unknown TimestepDensity::Kind");
}

at::Tensor levelIndices(const at::Tensor& u, std::int64_t size)
{
    return (u * static_cast<double>(size)).to(at::kLong).clamp(0, size - 1);
}

LossWeighting lossWeighting(std::string_view name)
{
    if (name == "none")
        return LossWeighting::None;
    if (name == "sigma_sqrt")
        return LossWeighting::SigmaSqrt;
    if (name == "cosmap")
        return LossWeighting::Cosmap;
    throw std::invalid_argument("there is no loss weighting \"" + std::string(name) + "\"; known: none, sigma_sqrt, cosmap");
}

at::Tensor lossWeights(LossWeighting weighting, const at::Tensor& sigmas)
{
    switch (weighting) {
    case LossWeighting::None:
        return at::ones_like(sigmas);
    case LossWeighting::SigmaSqrt:
        return sigmas.square().reciprocal();
    case LossWeighting::Cosmap:
        return (1 - sigmas * 2 + sigmas.square() * 2).reciprocal() * (2 / std::numbers::pi);
    }
    throw std::logic_error("unknown LossWeighting");
}

}  // namespace engine
