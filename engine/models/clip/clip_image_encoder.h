// CLIP's image tower (Radford et al., 2021): a vision transformer.
#pragma once
#include "engine/contract/formats/json_config.h"
#include "engine/models/text/clip_layers.h"
#include "engine/weights/weight_lookup.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>

namespace engine {

/// Dims: B images, N tokens (the class token, then patches row by row), D features. Weights are looked up as in TextEncoder.
class ClipImageEncoder {
public:
    /// Called with hidden state k, [B, N, D]: for k < layers(), the input of layer k; for k = layers(), the output of the last layer.
    using Observer = std::function<void(std::int64_t k, const at::Tensor& state)>;

    /// @param config vision_config of the model's config.json
    /// @throws std::runtime_error for config values that are not supported.
    ClipImageEncoder(const contract::JsonConfig& config, std::shared_ptr<const WeightLookup> weights);

    std::int64_t side() const { return m_side; }  ///< of the images, in pixels
    std::int64_t layers() const { return m_layers.count(); }
    std::int64_t width() const { return m_layers.width(); }

    /// @param pixels [B, 3, side, side], normalized, in the dtype and on the device of the weights
    /// @return [B, D]: the class token after the last norm
    at::Tensor encode(const at::Tensor& pixels, const Observer& observer = {}) const;

private:
    std::int64_t patchesPerSide() const { return m_side / m_patch; }
    at::Tensor embedded(const WeightScope& weights, const at::Tensor& pixels) const;  ///< [B, N, D]

    std::shared_ptr<const WeightLookup> m_weights;
    ClipLayers m_layers;
    std::int64_t m_side, m_patch;
};

}  // namespace engine
