// From what an autoencoder gives to what a transformer is trained on, and back.
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

namespace engine {

/// (latents - shift) · scale. One value each for all channels, or one per channel.
struct LatentScaling {
    std::vector<double> shift = {0};
    std::vector<double> scale = {1};

    /// @param latents [B, channels, …]
    at::Tensor toModel(const at::Tensor& latents) const;
    at::Tensor toAutoencoder(const at::Tensor& latents) const;  ///< latents / scale + shift
};

}  // namespace engine
