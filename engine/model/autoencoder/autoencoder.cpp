#include "engine/model/autoencoder/autoencoder.h"

#include "engine/comm/errors.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>

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

/// @param factor picture elements per element of @p x, along height and along width @param most of them at once; 0: no limit
at::Tensor pieceByPiece(const at::Tensor& x, std::int64_t factor, std::int64_t most, TileSize in, TileSize out, const Network& network)
{
    const std::int64_t pixels = x.size(-1) * factor * x.size(-2) * factor;
    const bool fitsTile = x.size(-1) <= in.size && x.size(-2) <= in.size;
    const bool isTiled = most > 0 && pixels > most && !fitsTile, isSliced = most > 0 && pixels * x.size(0) > most;
    const auto whole = [&](const at::Tensor& part) { return isTiled ? tiled(part, in, out, network) : network(part); };
    return isSliced && x.size(0) > 1 ? oneByOne(x, whole) : whole(x);
}

}  // namespace

at::Tensor Posterior::deviation() const { return (logVariance * 0.5).exp(); }

Posterior posterior(const at::Tensor& moments)
{
    const auto halves = moments.chunk(2, 1);
    return {halves[0], halves[1].clamp(-30, 20)};
}

at::Tensor Autoencoder::encode(const at::Tensor& pictures) const
{
    const std::int64_t factor = spatialFactor();
    if (pictures.size(-1) % factor != 0 || pictures.size(-2) % factor != 0)
        throw EngineError(EngineError::Kind::WrongUsage,
            "a picture of " + std::to_string(pictures.size(-1)) + " × " + std::to_string(pictures.size(-2))
                + " cannot be encoded: both must be multiples of " + std::to_string(factor));
    const TileSize latent = latentTile(), picture {latent.size * factor, latent.stride * factor};
    return pieceByPiece(pictures, 1, m_mostPixels, picture, latent, [this](const at::Tensor& x) { return encodeWhole(x); });
}

at::Tensor Autoencoder::decode(const at::Tensor& latents) const
{
    const TileSize latent = latentTile(), picture {latent.size * spatialFactor(), latent.stride * spatialFactor()};
    return pieceByPiece(latents, spatialFactor(), m_mostPixels, latent, picture, [this](const at::Tensor& x) { return decodeWhole(x); });
}

}  // namespace engine
