// AutoencoderKL: the convolutional autoencoder of Stable Diffusion and Flux (Rombach et al., 2022).
#pragma once
#include "engine/contract/formats/json_config.h"
#include "engine/models/vae/autoencoder.h"
#include "engine/weights/weight_lookup.h"

#include <memory>
#include <vector>

namespace engine {

class AutoencoderKl final : public Autoencoder {
public:
    /// @throws std::runtime_error for config values that are not supported.
    AutoencoderKl(const contract::JsonConfig& config, std::shared_ptr<const WeightLookup> weights);

    LatentScaling scaling() const override { return m_scaling; }
    std::int64_t spatialFactor() const override;

private:
    at::Tensor encodeWhole(const at::Tensor& images) const override;
    at::Tensor decodeWhole(const at::Tensor& latents) const override;
    TileSize latentTile() const override;

    at::Tensor normed(const WeightScope& weights, const at::Tensor& x) const;  ///< group norm
    at::Tensor residual(const WeightScope& weights, const at::Tensor& x, std::int64_t channels) const;
    at::Tensor attended(const WeightScope& weights, const at::Tensor& x) const;
    at::Tensor middle(const WeightScope& weights, const at::Tensor& x) const;
    at::Tensor head(const WeightScope& weights, const at::Tensor& x, std::int64_t channels) const;

    std::shared_ptr<const WeightLookup> m_weights;
    std::vector<std::int64_t> m_channels;  ///< per level, the finest first
    std::int64_t m_latentChannels, m_imageChannels;
    std::int64_t m_residualsPerLevel;
    std::int64_t m_groups;
    std::int64_t m_sampleSize;
    bool m_hasAttention, m_hasQuantConv, m_hasPostQuantConv;
    LatentScaling m_scaling;
};

}  // namespace engine
