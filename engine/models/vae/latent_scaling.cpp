#include "engine/models/vae/latent_scaling.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

namespace engine {
namespace {

/// Returns [1, channels or 1, 1, …], broadcastable to @p latents, in their dtype and on their device.
at::Tensor perChannel(const std::vector<double>& values, const at::Tensor& latents)
{
    std::vector<std::int64_t> shape(static_cast<std::size_t>(latents.dim()), 1);
    shape[1] = static_cast<std::int64_t>(values.size());
    return at::tensor(values, at::kFloat).view(shape).to(latents.device(), latents.scalar_type());
}

}  // namespace

at::Tensor LatentScaling::toModel(const at::Tensor& latents) const
{
    return (latents - perChannel(shift, latents)) * perChannel(scale, latents);
}

at::Tensor LatentScaling::toAutoencoder(const at::Tensor& latents) const
{
    return latents / perChannel(scale, latents) + perChannel(shift, latents);
}

}  // namespace engine
