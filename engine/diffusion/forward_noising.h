// From clean latents to noised ones at a given timestep: what forward-process algorithms train on.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace engine {

struct NoisedLatents {
    at::Tensor noisy;  ///< [b, …] float32: (1 - t) · clean + t · noise
    at::Tensor times;  ///< t [b, 1, …] float32, of the latents' dims: timestep / training timesteps
};

/// @param clean [b, …], @param timesteps [b] of any number type, @param noise of the shape of @p clean
/// @param trainTimesteps of the schedule: the timestep of pure noise
NoisedLatents noised(const at::Tensor& clean, const at::Tensor& timesteps, const at::Tensor& noise,
    std::int64_t trainTimesteps);

/// The noise of one timestep out of what a batch brings.
/// @param given [b, T, …] for each timestep its own, or [b, …] the same for all
/// @throws std::invalid_argument for noise of another shape than the latents'.
at::Tensor givenNoise(const at::Tensor& given, const at::Tensor& clean, std::int64_t timestep);

/// Noise that a batch does not bring: standard normal float32 of the shape of @p clean, on its device. Drawn for each
/// row by itself, so that it is the same in whichever micro-batch and on whichever rank a row is.
/// @param step of the training, @param rows numbers in the global batch
at::Tensor drawnNoise(const at::Tensor& clean, const std::vector<std::uint64_t>& rows, std::uint64_t seed,
    std::uint64_t step, std::int64_t timestep);

}  // namespace engine
