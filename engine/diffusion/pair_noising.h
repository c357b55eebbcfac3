// Noise for preference pairs: latents [2P, …] lie as chosen, rejected, chosen, rejected …, and the two of a pair get the same noise
// at the same timestep (rows ).
#pragma once
#include "engine/diffusion/flow_match_schedule.h"
#include "engine/diffusion/timestep_density.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace engine {

struct NoisedPairs {
    at::Tensor noisy;      ///< [2P, …]: σ · noise + (1 - σ) · clean, in the latents' dtype and on their device, as all below
    at::Tensor noise;      ///< [2P, …]
    at::Tensor timesteps;  ///< [2P] float32, on the CPU
    at::Tensor sigmas;     ///< [2P, 1, …]
};

/// Noises pairs at entries of the training table.
/// @param pairNoise [P, …] standard normal; @param u [P] in [0, 1) of the pairs' timesteps, see distributed(), on the CPU
/// @throws std::invalid_argument for an odd number of latents, or draws for another number of pairs.
NoisedPairs noisedPairs(const at::Tensor& latents, const at::Tensor& pairNoise, const at::Tensor& u, const TrainingLevels& levels);

/// The same with noise and timestep drawn for each pair. Draws depend only on (seed, step, pair), on any number of ranks.
/// @param pairs [P] indices in the global batch
NoisedPairs drawnPairs(const at::Tensor& latents, const std::vector<std::uint64_t>& pairs, std::uint64_t seed, std::uint64_t step,
    const TimestepDensity& density, const TrainingLevels& levels);

/// Noises pairs with the noise and timesteps that an earlier pass used, such as the reference's.
/// @param noise [2P, …]; @param timesteps [2P]: values of @p table, whose noise levels are @p sigmas (of a sampling or training table)
/// @throws std::invalid_argument for an odd number of latents, only one of noise and timesteps (the other undefined), a field with
///         other values in the two rows of a pair, a timestep that is not in the table. Reads both fields on the host.
NoisedPairs noisedAsGiven(const at::Tensor& latents, const at::Tensor& noise, const at::Tensor& timesteps, std::span<const float> table,
    std::span<const float> sigmas);

}  // namespace engine
