// Random permutations that are equal on every machine, unlike those of std::shuffle.
#pragma once
#include <cstdint>
#include <vector>

namespace engine {

/// Returns a uniformly random permutation of 0 … size - 1. Different streams of a seed give independent permutations.
std::vector<std::int64_t> randomPermutation(
    std::int64_t size, std::uint64_t seed, std::uint64_t stream);

}  // namespace engine
