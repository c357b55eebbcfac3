// Counter-based random numbers (Philox4x32-10): a number depends only on its key and index, so that the draws are the same
// on any number of ranks.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace engine {

/// Identifies a stream of random numbers. Different keys give independent streams.
struct RandomKey {
    std::uint64_t seed = 0;
    std::string_view purpose;  ///< "noise", "sigma", "weights/blocks.0.qkv.weight"
    std::uint64_t step = 0;
    std::uint64_t row = 0;     ///< of the global batch
};

/// Fills @p out with standard normal numbers: those at indices first, first + 1, … of the stream.
void fillNormal(std::span<float> out, const RandomKey& key, std::uint64_t first = 0);

/// A seed for another random generator, such as LibTorch's; different for different keys.
std::uint64_t streamSeed(const RandomKey& key);

/// As fillNormal(), but uniform in [0, 1).
void fillUniform(std::span<float> out, const RandomKey& key, std::uint64_t first = 0);

}  // namespace engine
