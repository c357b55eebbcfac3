// The transformer layers of CLIP's towers, which are alike for text and for images. Dims: B rows, N tokens, D features.
#pragma once
#include "engine/contract/formats/json_config.h"
#include "engine/weights/weight_lookup.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace engine {

/// What a config leaves out, it has by default, and the towers have different defaults.
struct ClipSizes {
    std::int64_t width = 0, layers = 0, heads = 0, hidden = 0;
};

class ClipLayers {
public:
    /// @param config of one tower
    /// @throws std::runtime_error for values that are not supported.
    ClipLayers(const contract::JsonConfig& config, const ClipSizes& defaults);

    std::int64_t count() const { return m_sizes.layers; }
    std::int64_t width() const { return m_sizes.width; }

    /// One layer. @param weights the layer's; @param x [B, N, D]; @param bias see attended(); @return [B, N, D]
    at::Tensor layer(const WeightScope& weights, const at::Tensor& x, const at::Tensor& bias) const;

    /// A norm over features with the layers' epsilon. @param x [..., D]
    at::Tensor normed(const WeightScope& weights, const at::Tensor& x) const;

private:
    enum class Activation { QuickGelu, Gelu };

    at::Tensor selfAttended(const WeightScope& weights, const at::Tensor& x, const at::Tensor& bias) const;
    at::Tensor activated(const at::Tensor& x) const;

    ClipSizes m_sizes;
    double m_epsilon;
    Activation m_activation;
};

}  // namespace engine
