// AutoencoderKLWan of Wan 2.1 and 2.2 and AutoencoderKLQwenImage: an autoencoder of videos, and of pictures as videos of one
// frame, that is causal in time (Wan, 2025).
#pragma once
#include "engine/contract/json_config.h"
#include "engine/model/autoencoder/autoencoder.h"
#include "engine/model/autoencoder/causal_layers.h"

#include <memory>
#include <string>
#include <vector>

namespace engine {

/// Videos have 1 + 4 k frames and go through in chunks: one frame, then four at a time; latents one frame at a time. Wan 2.2's
/// has frames cut into patches, more channels on the way back, and ways around its levels (is_residual).
class AutoencoderKlWan final : public Autoencoder {
public:
    /// @param className which spelling the config has, "AutoencoderKLWan" or "AutoencoderKLQwenImage"
    /// @throws EngineError for what the config asks for and is not known here.
    AutoencoderKlWan(const std::string& className, const contract::JsonConfig& config, std::shared_ptr<const WeightLookup> weights);

    LatentScaling scaling() const override { return m_scaling; }
    std::int64_t spatialFactor() const override;
    std::int64_t temporalFactor() const override;

private:
    at::Tensor encodeWhole(const at::Tensor& videos) const override;
    at::Tensor decodeWhole(const at::Tensor& latents) const override;
    TileSize latentTile() const override;

    at::Tensor encodeChunk(const WeightScope& weights, const at::Tensor& frames, FrameMemory& memory) const;
    at::Tensor decodeChunk(const WeightScope& weights, const at::Tensor& latents, FrameMemory& memory) const;
    at::Tensor encodeLevel(const WeightScope& weights, const at::Tensor& x, std::size_t level, FrameMemory& memory) const;
    at::Tensor decodeLevel(const WeightScope& weights, const at::Tensor& x, std::size_t level, FrameMemory& memory) const;
    void checkWays(const contract::JsonConfig& config) const;
    /// Frames that become one between a level and the next coarser one.
    std::int64_t framesBelow(std::size_t level) const { return m_halvesFrames[level] ? 2 : 1; }
    bool isCoarsest(std::size_t level) const { return level == m_halvesFrames.size(); }

    std::shared_ptr<const WeightLookup> m_weights;
    std::int64_t m_pictureChannels, m_latentChannels;
    std::int64_t m_encoderChannels, m_decoderChannels;  ///< of the finest level
    std::int64_t m_patch;                               ///< edge of the squares that become channels; 1: none do
    bool m_hasWays;                                     ///< around each level
    std::vector<std::int64_t> m_multiples;  ///< of the base channels, per level, the finest first
    std::vector<bool> m_halvesFrames;       ///< per step from a level to the next, coarser one
    std::int64_t m_residualsPerLevel;
    LatentScaling m_scaling;
};

}  // namespace engine
