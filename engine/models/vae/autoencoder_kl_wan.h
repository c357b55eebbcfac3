// AutoencoderKLWan of Wan 2.1 and 2.2, and AutoencoderKLQwenImage: an autoencoder for videos that is causal in time (Wan,
// 2025). Images are videos of one frame.
#pragma once
#include "engine/contract/formats/json_config.h"
#include "engine/models/vae/autoencoder.h"
#include "engine/models/vae/causal_layers.h"

#include <memory>
#include <string>
#include <vector>

namespace engine {

/// Videos have 1 + 4 k frames and are encoded in chunks: one frame, then four at a time. Latents are decoded one frame at a
/// time. The autoencoder of Wan 2.2 also cuts frames into patches, has a wider decoder, and a shortcut around each level
/// (is_residual).
class AutoencoderKlWan final : public Autoencoder {
public:
    /// @param className "AutoencoderKLWan" or "AutoencoderKLQwenImage"; their configs name the image channels differently
    /// @throws std::runtime_error for config values that are not supported.
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
    void checkPatchAndShortcuts(const contract::JsonConfig& config) const;
    /// Frames of @p level per frame of the next coarser level.
    std::int64_t temporalStride(std::size_t level) const { return m_halvesFrames[level] ? 2 : 1; }
    bool isCoarsest(std::size_t level) const { return level == m_halvesFrames.size(); }

    std::shared_ptr<const WeightLookup> m_weights;
    std::int64_t m_imageChannels, m_latentChannels;
    std::int64_t m_encoderChannels, m_decoderChannels;  ///< base channels, at the finest level
    std::int64_t m_patch;                               ///< edge of the squares of pixels that become channels; 1: no patches
    bool m_hasShortcuts;                                ///< around each level
    std::vector<std::int64_t> m_multiples;  ///< channels / base channels of each level, the finest first
    std::vector<bool> m_halvesFrames;       ///< for each step from a level to the next coarser one
    std::int64_t m_residualsPerLevel;
    LatentScaling m_scaling;
};

}  // namespace engine
