// Shuffled row numbers that are the same on every machine: the standard library's shuffle may differ.
#pragma once
#include <cstdint>
#include <vector>

namespace engine {

/// 0 … size - 1, each once, every order equally likely; another @p stream of a seed is another order.
std::vector<std::int64_t> randomPermutation(
    std::int64_t size, std::uint64_t seed, std::uint64_t stream);

}  // namespace engine
