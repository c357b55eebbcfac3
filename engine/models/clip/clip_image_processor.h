// Prepares images for CLIP's image tower, as transformers' CLIPImageProcessor does.
#pragma once
#include "engine/contract/formats/json_config.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace engine {

class ClipImageProcessor {
public:
    /// @param config preprocessor_config.json
    /// @param side of the images that the tower takes, in pixels
    /// @throws std::runtime_error for values that are not supported or do not fit the tower.
    ClipImageProcessor(const contract::JsonConfig& config, std::int64_t side);

    /// Rounds to 8 bits per channel, scales the shorter side with antialiased bicubic interpolation, crops the middle, and normalizes.
    /// Pillow gets the same bytes but for one of some hundred, which is off by one or, rarely, two.
    /// @param images [B, 3, H, W] float32 in [0, 1] on the CPU; NaN is black
    /// @return [B, 3, side, side] float32 on the CPU
    at::Tensor prepared(const at::Tensor& images) const;

private:
    std::int64_t m_shorter;  ///< length of the shorter side before cropping
    std::int64_t m_side;
    double m_factor;         ///< of the bytes
    std::vector<double> m_mean, m_deviation;
};

}  // namespace engine
