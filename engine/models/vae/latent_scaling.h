// Converts between the latents of an autoencoder and the scaled latents that a transformer is trained on.
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

namespace engine {

/// (latents - shift) · scale. shift and scale have one value for all channels, or one per channel.
struct LatentScaling {
    std::vector<double> shift = {0};
    std::vector<double> scale = {1};

    /// Both take and return [B, channels, …].
    at::Tensor toModel(const at::Tensor& latents) const;
    at::Tensor toAutoencoder(const at::Tensor& latents) const;  ///< latents / scale + shift
};

}  // namespace engine
