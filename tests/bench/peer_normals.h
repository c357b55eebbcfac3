// The numbers of PyTorch's normal_() on the CPU, up to rounding, where a rank needs a part of them.
#pragma once
#include <cstdint>
#include <random>
#include <span>

namespace bench {

/// One generator and what it draws, tensor by tensor, for float32 tensors of at least 16 values (it draws smaller ones in another
/// way).
class PeerNormals {
public:
    explicit PeerNormals(std::uint32_t seed)
        : m_words(seed)
    {
    }

    /// Draws the next tensor, of @p count values, but computes no more of it than values @p begin, begin + 1, …
    void draw(std::int64_t count, std::int64_t begin, std::span<float> out);

private:
    void drawGroups(std::int64_t count, float* values);

    /// std::mt19937, whose words may have 64 bits, in half of the memory.
    std::mersenne_twister_engine<std::uint32_t, 32, 624, 397, 31, 0x9908b0df, 11, 0xffffffff, 7, 0x9d2c5680, 15, 0xefc60000, 18, 1812433253>
        m_words;
};

}  // namespace bench
