// Elementary functions of sixteen floats.
#pragma once
#include "engine/kernels/cpu/vector.h"

namespace engine::cpu {

/// x clamped to [least, most]; NaN stays NaN. @tparam T the kernel's element type: for NativeBFloat16 this uses min and max
/// instructions, which compilers do not find.
template <typename T, typename Floats>
ATELIER_INLINE Floats clamped(const Floats& x, float least, float most)
{
#if defined(__x86_64__)
    if constexpr (std::is_same_v<T, NativeBFloat16>) {
        Floats result;
        asm("vmaxps %1, %2, %0" : "=v"(result) : "v"(x), "v"(spread<Floats>(least)));
        asm("vminps %1, %2, %0" : "=v"(result) : "v"(result), "v"(spread<Floats>(most)));
        return result;
    }
#endif
    return select(x < least, spread<Floats>(least), select(x > most, spread<Floats>(most), x));
}

/// 1 / x for x in [1e-37, 1e37], with a relative error of 1e-7, in a third of a division's time: a line through the bits, then two steps of
/// Newton's method, the first with the factors for which the error is the smallest (Moroz et al., Simple Effective Fast Inverse
/// Square Root Algorithm with Two Magic Constants, 2018). NaN stays NaN.
template <typename Floats>
ATELIER_INLINE Floats roughReciprocal(const Floats& x)
{
    if constexpr (isTwo<Floats>) {
        return {roughReciprocal(x.low), roughReciprocal(x.high)};
    } else {
        using Ints = typename Lanes<laneCount<Floats>>::Ints;
        Floats y = reinterpret_cast<Floats>(0x7EB53567 - reinterpret_cast<Ints>(x));
        y = 1.9395974F * y * (1.436142F - x * y);
        return y + y * (1.0F - x * y);
    }
}

/// Adding this to a number of a magnitude below 2^22 rounds it to an integer, which the lowest bits of the sum then hold.
constexpr float kRounder = 12582912.0F;  // 1.5 · 2^23
constexpr float kLog2E = 1.44269504F;

/// e^x for x in [-87, 89], +infinity above 88.4; NaN stays NaN. Relative error about 1e-7.
template <typename Floats>
ATELIER_INLINE Floats exponential(const Floats& x)
{
    if constexpr (isTwo<Floats>) {
        return {exponential(x.low), exponential(x.high)};
    } else {
        using Ints = typename Lanes<laneCount<Floats>>::Ints;
        // x = n ln 2 + r, |r| ≤ ln 2 / 2
        const Floats shifted = x * kLog2E + kRounder;
        const Floats n = shifted - kRounder;
        const Floats r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
        Floats p = r * (1.0F / 5040) + 1.0F / 720;
        p = p * r + 1.0F / 120;  // unrolled by hand: compilers keep a loop over coefficients in memory
        p = p * r + 1.0F / 24;
        p = p * r + 1.0F / 6;
        p = p * r + 0.5F;
        p = p * r + 1.0F;
        p = p * r + 1.0F;
        const Ints exponent = (reinterpret_cast<Ints>(shifted) - 0x4B400000 + 127) << 23;
        return p * reinterpret_cast<Floats>(exponent);
    }
}

/// 2^x for x in [-126, 127], with a relative error of 4e-6, which is enough for bfloat16; NaN stays NaN.
template <typename Floats>
ATELIER_INLINE Floats roughPowerOfTwo(const Floats& x)
{
    if constexpr (isTwo<Floats>) {
        return {roughPowerOfTwo(x.low), roughPowerOfTwo(x.high)};
    } else {
        using Words = typename Lanes<laneCount<Floats>>::Words;
        const Floats shifted = x + kRounder;
        const Floats f = x - (shifted - kRounder);
        Floats p = f * 0.00966636852F + 0.0559219758F;  // interpolates 2^f at Chebyshev's points of [-1/2, 1/2]
        p = p * f + 0.24022349F;
        p = p * f + 0.693121045F;
        p = p * f + 1.0F;
        return reinterpret_cast<Floats>(reinterpret_cast<Words>(p) + (reinterpret_cast<Words>(shifted) << 23));  // adds to the exponent
    }
}

/// e^x in T's precision for x ≤ 0; 0 below -87; NaN stays NaN.
template <typename T, typename Floats>
ATELIER_INLINE Floats exponentialUpToOne(const Floats& x)
{
    const Floats within = clamped<T>(x, -87, 0);
    if constexpr (std::is_same_v<T, float>)
        return select(x < -87.0F, Floats {}, exponential(within));
    return select(x < -87.0F, Floats {}, roughPowerOfTwo(within * kLog2E));
}

}  // namespace engine::cpu
