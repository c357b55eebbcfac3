// Noises clean latents at a given timestep, as forward-process algorithms train on them.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace engine {

struct NoisedLatents {
    at::Tensor noisy;  ///< [b, …] float32: (1 - t) · clean + t · noise
    at::Tensor times;  ///< t = timestep / training timesteps: [b, 1, …] float32, with as many dims as the latents
};

/// @param clean [b, …]; @param timesteps [b] of any numeric dtype; @param noise in the shape of @p clean
/// @param trainTimesteps of the schedule: the timestep of pure noise
NoisedLatents noised(const at::Tensor& clean, const at::Tensor& timesteps, const at::Tensor& noise,
    std::int64_t trainTimesteps);

/// Returns the noise for @p timestep from the noise that a batch contains.
/// @param given [b, T, …], noise for each timestep, or [b, …], the same noise for all
/// @throws std::invalid_argument when the noise does not have the shape of @p clean.
at::Tensor givenNoise(const at::Tensor& given, const at::Tensor& clean, std::int64_t timestep);

/// Draws noise for a batch that contains none: standard normal float32 in the shape of @p clean, on its device. Draws each row
/// separately, so that a row gets the same noise in any micro-batch and on any rank.
/// @param step of training; @param rows indices in the global batch
at::Tensor drawnNoise(const at::Tensor& clean, const std::vector<std::uint64_t>& rows, std::uint64_t seed,
    std::uint64_t step, std::int64_t timestep);

}  // namespace engine
