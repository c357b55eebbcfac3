// Counter-based random numbers (Philox4x32-10): a number depends on its key and index alone, so that
// the same draws come out on any number of ranks.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace engine {

/// What is drawn. Two different keys give independent streams.
struct RandomKey {
    std::uint64_t seed = 0;
    std::string_view purpose;  ///< "noise", "sigma", "weights/blocks.0.qkv.weight"
    std::uint64_t step = 0;
    std::uint64_t row = 0;     ///< of the global batch
};

/// Standard normal numbers number @p first, first + 1, … of the stream.
void fillNormal(std::span<float> out, const RandomKey& key, std::uint64_t first = 0);

/// For a generator of somebody else: different for different keys.
std::uint64_t streamSeed(const RandomKey& key);

/// Uniform in [0, 1).
void fillUniform(std::span<float> out, const RandomKey& key, std::uint64_t first = 0);

}  // namespace engine
