// Normal random numbers from uniform ones. The functions compute one pair, without branches, so that compilers vectorise loops
// over them, and use only operations that IEEE 754 defines exactly, so that every processor draws the same numbers. Compile
// sources that include this header with -O3 -fno-math-errno -ffp-contract=off.
#pragma once
#include "engine/kernels/cpu/processor.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace engine {

/// ln x of positive normal numbers, to about an ulp.
ATELIER_INLINE float logarithm(float x)
{
    // x = 2^n m with m from √½ to √2, and ln m = 2 artanh s with s = (m - 1) / (m + 1).
    constexpr std::int32_t kRootOfHalf = 0x3f3504f3;
    const auto bits = std::bit_cast<std::int32_t>(x);
    const std::int32_t exponent = (bits - kRootOfHalf) >> 23;
    const float m = std::bit_cast<float>(bits - (exponent << 23));
    const auto n = static_cast<float>(exponent);
    const float s = (m - 1) / (m + 1);
    const float square = s * s;
    const float series = ((square * (1.0F / 9) + 1.0F / 7) * square + 1.0F / 5) * square + 1.0F / 3;
    const float small = 2 * s * square * series - n * 2.12194440e-4F;
    return n * 0.693359375F + (small + 2 * s);  // ln 2 in two parts
}

struct Direction {
    float sine, cosine;
};

/// Sine and cosine of the angle 2π · @p turns, turns in [0, 1), to about an ulp.
ATELIER_INLINE Direction direction(float turns)
{
    // The nearest quarter turn, plus up to an eighth turn on either side. Adding and subtracting 1.5 · 2^23 rounds.
    const float shifted = turns * 4 + 12582912;
    const float angle = (turns - (shifted - 12582912) * 0.25F) * (2 * std::numbers::pi_v<float>);
    const float square = angle * angle;
    const float sine = (((square * (1.0F / 362880) - 1.0F / 5040) * square + 1.0F / 120) * square - 1.0F / 6) * square * angle + angle;
    const float cosine
        = ((((1.0F / 40320 - square * (1.0F / 3628800)) * square - 1.0F / 720) * square + 1.0F / 24) * square - 0.5F) * square + 1;
    const auto quarters = std::bit_cast<std::uint32_t>(shifted);
    const std::uint32_t swapped = 0 - (quarters & 1);
    const auto s = std::bit_cast<std::uint32_t>(sine);
    const auto c = std::bit_cast<std::uint32_t>(cosine);
    const std::uint32_t difference = (s ^ c) & swapped;
    return {std::bit_cast<float>(s ^ difference ^ (quarters & 2) << 30), std::bit_cast<float>(c ^ difference ^ ((quarters + 1) & 2) << 30)};
}

struct NormalPair {
    float first, second;
};

/// Box and Muller, "A note on the generation of random normal deviates" (1958).
/// @param u, v uniform in [0, 1), multiples of 2^-24
ATELIER_INLINE NormalPair normalPair(float u, float v)
{
    const float radius = std::sqrt(0 - 2 * logarithm(1 - u));  // 1 - u is in (0, 1]
    const Direction at = direction(v);
    return {radius * at.cosine, radius * at.sine};
}

}  // namespace engine
