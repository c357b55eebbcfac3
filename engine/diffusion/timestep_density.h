// Distributions of the noise levels to train on, and weights of the loss at a level (rows ).
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

namespace engine {

struct TimestepDensity {
    enum class Kind {
        Uniform,
        LogitNormal,  ///< u = 1 / (1 + e^-(mean + deviation · n)) (Esser et al., 2024)
        Mode          ///< u ← 1 - u - modeScale · (cos²(π u / 2) - 1 + u) (Esser et al., 2024)
    };
    Kind kind = Kind::LogitNormal;
    double mean = 0, deviation = 1;
    double modeScale = 1.29;
};

/// Turns draws into u in [0, 1), in float32. @param base [n] float32: standard normal with LogitNormal, else uniform in [0, 1)
at::Tensor distributed(const TimestepDensity& density, const at::Tensor& base);

/// Indices ⌊u · size⌋ in a table of @p size training levels, at most size - 1: [n] int64.
at::Tensor levelIndices(const at::Tensor& u, std::int64_t size);

enum class LossWeighting {
    None,
    SigmaSqrt,  ///< σ^-2
    Cosmap      ///< 2 / (π (1 - 2 σ + 2 σ²))
};

/// @param name none, sigma_sqrt or cosmap. @throws std::invalid_argument naming these otherwise.
LossWeighting lossWeighting(std::string_view name);

/// Weights of the loss at noise levels @p sigmas, in their shape. @param sigmas float32, above 0 with SigmaSqrt
at::Tensor lossWeights(LossWeighting weighting, const at::Tensor& sigmas);

}  // namespace engine
