// The numbers of PyTorch's normal_() on the CPU, up to rounding, where a rank needs a part of them.
#pragma once
#include <cstdint>
#include <span>

namespace bench {

/// One generator and what it draws, tensor by tensor, for float32 tensors of at least 16 values (it draws smaller ones in another
/// way). The generator: Matsumoto and Nishimura, "Mersenne Twister" (1998).
class PeerNormals {
public:
    explicit PeerNormals(std::uint32_t seed);

    /// Draws the next tensor, of @p count values, but computes no more of it than values @p begin, begin + 1, …
    void draw(std::int64_t count, std::int64_t begin, std::span<float> out);

private:
    static constexpr int kState = 624;

    void skip(std::int64_t words);
    void take(std::uint32_t* words, int count);
    void drawGroups(std::int64_t count, float* values);

    std::uint32_t m_state[kState];
    int m_next = kState;
};

}  // namespace bench
