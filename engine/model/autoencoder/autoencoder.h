// A frozen autoencoder between pictures and latents.
#pragma once
#include "engine/model/autoencoder/latent_scaling.h"
#include "engine/model/autoencoder/tiling.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace engine {

/// The normal distribution that an encoder describes, independent per element.
struct Posterior {
    at::Tensor mean;
    at::Tensor logVariance;  ///< within [-30, 20]

    at::Tensor deviation() const;
};

/// @param moments [B, 2 · channels, …]: mean, then log variance
Posterior posterior(const at::Tensor& moments);

/// Tensors are [B, channels, H, W], of video autoencoders [B, channels, frames, H, W]; pictures lie in [-1, 1]. Plain
/// tensor operations: run it under InferenceMode, or under autograd for gradients. May be used from one thread at a time.
class Autoencoder {
public:
    virtual ~Autoencoder() = default;

    /// @return moments; see posterior()
    at::Tensor encode(const at::Tensor& pictures) const;
    at::Tensor decode(const at::Tensor& latents) const;

    /// Bounds memory: a batch whose pictures (of clips: frames) have more than @p pixels in all goes through one sample after the
    /// other, and where one alone has more, in overlapping tiles, whose seams are blended. 0: all at once, the default.
    void setMostPixels(std::int64_t pixels) { m_mostPixels = pixels; }

    virtual LatentScaling scaling() const = 0;

    /// Picture elements per latent one, along height and along width.
    virtual std::int64_t spatialFactor() const = 0;

    /// Clips have 1 + k times so many frames, of which 1 + k latent ones are made.
    virtual std::int64_t temporalFactor() const { return 1; }

protected:
    virtual at::Tensor encodeWhole(const at::Tensor& pictures) const = 0;
    virtual at::Tensor decodeWhole(const at::Tensor& latents) const = 0;
    virtual TileSize latentTile() const = 0;

private:
    std::int64_t m_mostPixels = 0;
};

}  // namespace engine
