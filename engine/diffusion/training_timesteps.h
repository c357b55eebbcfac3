// The timesteps that forward-process algorithms train a rollout's clean latents at: chosen from the sampler's own (row A-065), or
// drawn one from each of equal parts of a range (row A-146).
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace engine {

/// Keeps max(1, ⌊T · fraction⌋) of each row's timesteps, in random order: the rows in order draw permutations from one generator.
/// @param candidates [B, T] on the CPU; @param fraction in (0, 1] @return [B, k] of the same dtype, not rounded
/// @throws std::invalid_argument for another number of dims, no candidates or another fraction.
at::Tensor chosenTimesteps(const at::Tensor& candidates, double fraction, std::uint64_t seed);

/// `count` timesteps, one from each of as many strata of equal size. A timestep is 1000 · (1 - f), with f the fraction of the way
/// from noise to data.
struct TimestepStrata {
    enum class Strategy {
        Uniform,           ///< f = lowest + r (highest - lowest), then f ← s f / (1 + (s - 1) f)
        LogitNormal,       ///< r ← sigmoid of the normal quantile of r, shifted in the same way, then f as above
        Discrete,          ///< entries of a table
        DiscreteWithFirst, ///< the table's first entry in the range, the others after it
        DiscreteNoFirst    ///< entries of a table, without the first in the range
    };
    Strategy strategy = Strategy::Uniform;
    std::int64_t count = 1;
    double lowest = 0, highest = 0.9;  ///< of f
    double shift = 1;                  ///< s: above 1 there are more timesteps near the data; not with a table

    bool usesTable() const { return strategy != Strategy::Uniform && strategy != Strategy::LogitNormal; }
    /// How many uniform numbers the timesteps are made from.
    std::int64_t draws() const { return strategy == Strategy::DiscreteWithFirst ? count - 1 : count; }
};

/// @param name uniform, logit_normal, discrete, discrete_with_init or discrete_wo_init. @throws std::invalid_argument otherwise.
TimestepStrata::Strategy strataStrategy(std::string_view name);

/// The part of the strata's range whose timesteps lie between @p least and @p most. @throws std::invalid_argument when there is none.
TimestepStrata strataWithin(TimestepStrata strata, double least, double most);

/// @param uniforms draws() numbers in [0, 1): the place in each stratum
/// @param permutation of 0 … count - 1: result i is from stratum permutation[i]; unused with a table, whose order is kept
/// @param table the sampler's timesteps, descending; unused without a table
/// @throws std::invalid_argument naming what is wrong: count, range or shift, or no entry of the table in the range.
std::vector<float> stratifiedTimesteps(const TimestepStrata& strata, const std::vector<float>& uniforms,
    const std::vector<std::int64_t>& permutation, const std::vector<float>& table);

/// The same with draws of its own, equal on all ranks. @param round of training, and inner epochs in it
std::vector<float> drawnTimesteps(const TimestepStrata& strata, const std::vector<float>& table, std::uint64_t seed, std::uint64_t round,
    std::uint64_t innerEpoch);

}  // namespace engine
