#include "engine/models/vae/autoencoder.h"

#include "engine/comm/errors.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>

#include <algorithm>
#include <vector>

namespace engine {
namespace {

using Network = std::function<at::Tensor(const at::Tensor&)>;

at::Tensor oneByOne(const at::Tensor& x, const Network& network)
{
    std::vector<at::Tensor> results;
    for (std::int64_t i = 0; i < x.size(0); ++i)
        results.push_back(network(x.narrow(0, i, 1)));
    return at::cat(results);
}

/// Runs @p network on all of @p x, sample by sample or in tiles, as Autoencoder::setMaxPixels() says.
/// @param factor pixels per element of @p x, along height and along width
/// @param maxPixels 0: no limit
at::Tensor runBounded(
    const at::Tensor& x, std::int64_t factor, std::int64_t maxPixels, TileSize in, TileSize out, const Network& network)
{
    const std::int64_t pixels = x.size(-1) * factor * x.size(-2) * factor;
    const bool fitsTile = x.size(-1) <= in.size && x.size(-2) <= in.size;
    const bool isTiled = maxPixels > 0 && pixels > maxPixels && !fitsTile;
    const bool isSliced = maxPixels > 0 && pixels * x.size(0) > maxPixels;
    const auto runPart = [&](const at::Tensor& part) { return isTiled ? tiled(part, in, out, network) : network(part); };
    return isSliced && x.size(0) > 1 ? oneByOne(x, runPart) : runPart(x);
}

}  // namespace

at::Tensor Posterior::deviation() const { return (logVariance * 0.5).exp(); }

Posterior posterior(const at::Tensor& moments)
{
    const auto halves = moments.chunk(2, 1);
    return {halves[0], halves[1].clamp(-30, 20)};
}

TileSize Autoencoder::tile() const
{
    const TileSize own = latentTile();
    return {std::max<std::int64_t>(own.size, 1), std::max<std::int64_t>(own.stride, 1)};
}

at::Tensor Autoencoder::encode(const at::Tensor& images) const
{
    const std::int64_t factor = spatialFactor();
    if (images.size(-1) % factor != 0 || images.size(-2) % factor != 0)
        throw EngineError(EngineError::Kind::WrongUsage,
            "an image of " + std::to_string(images.size(-1)) + " × " + std::to_string(images.size(-2))
                + " cannot be encoded: width and height must be multiples of " + std::to_string(factor));
    const TileSize latent = tile(), image {latent.size * factor, latent.stride * factor};
    return runBounded(images, 1, m_maxPixels, image, latent, [this](const at::Tensor& x) { return encodeWhole(x); });
}

at::Tensor Autoencoder::decode(const at::Tensor& latents) const
{
    const TileSize latent = tile(), image {latent.size * spatialFactor(), latent.stride * spatialFactor()};
    return runBounded(
        latents, spatialFactor(), m_maxPixels, latent, image, [this](const at::Tensor& x) { return decodeWhole(x); });
}

}  // namespace engine
