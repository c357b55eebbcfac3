// A frozen autoencoder between images and latents.
#pragma once
#include "engine/models/vae/latent_scaling.h"
#include "engine/models/vae/tiling.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace engine {

/// The normal distribution that an encoder predicts, independent for each latent element.
struct Posterior {
    at::Tensor mean;
    at::Tensor logVariance;  ///< clamped to [-30, 20]

    at::Tensor deviation() const;  ///< standard deviation
};

/// @param moments [B, 2 · channels, …]: mean, then log variance
Posterior posterior(const at::Tensor& moments);

/// Tensors are [B, channels, H, W], for video autoencoders [B, channels, frames, H, W]; image values are in [-1, 1]. Uses
/// plain tensor operations: callers run it under InferenceMode, or under autograd for gradients. One thread at a time.
class Autoencoder {
public:
    virtual ~Autoencoder() = default;

    /// @return moments; see posterior(). @throws EngineError WrongUsage unless spatialFactor() divides height and width.
    at::Tensor encode(const at::Tensor& images) const;
    at::Tensor decode(const at::Tensor& latents) const;

    /// Bounds memory. When the images of a batch together have more than @p pixels (for a video, one frame counts), they are
    /// processed one at a time; an image that alone has more is processed in overlapping tiles with blended seams. 0, the
    /// default: no limit.
    void setMaxPixels(std::int64_t pixels) { m_maxPixels = pixels; }

    virtual LatentScaling scaling() const = 0;

    /// Pixels per latent element, along height and along width.
    virtual std::int64_t spatialFactor() const = 0;

    /// A video of 1 + k · temporalFactor() frames has 1 + k latent frames.
    virtual std::int64_t temporalFactor() const { return 1; }

protected:
    virtual at::Tensor encodeWhole(const at::Tensor& images) const = 0;
    virtual at::Tensor decodeWhole(const at::Tensor& latents) const = 0;
    virtual TileSize latentTile() const = 0;  ///< may round down to nothing

private:
    TileSize tile() const;  ///< latentTile() with an edge and a distance of at least one element

    std::int64_t m_maxPixels = 0;
};

}  // namespace engine
