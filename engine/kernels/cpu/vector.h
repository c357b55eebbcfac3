// Vectors of sixteen floats by the compiler's vector extension: one source for every processor.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>

// -Wpsabi warns of vectors passed between functions; all functions here that pass vectors are inlined.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

// Compiles a kernel for several processors; the dynamic loader chooses one when the program starts.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ATELIER_MULTIVERSION __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ATELIER_MULTIVERSION
#endif
// For processors with bfloat16 instructions; chosen by the caller, see NativeBFloat16.
#if defined(__x86_64__)
#define ATELIER_NATIVE_BFLOAT16 __attribute__((target("arch=x86-64-v4")))
#endif
#define ATELIER_INLINE inline __attribute__((always_inline))
#define ATELIER_LAMBDA_INLINE __attribute__((always_inline))

namespace engine::cpu {

constexpr std::int64_t kLanes = 16;

using Floats = float __attribute__((vector_size(64)));
using Ints = std::int32_t __attribute__((vector_size(64)));
using Words = std::uint32_t __attribute__((vector_size(64)));
using HalfWords = std::uint16_t __attribute__((vector_size(32)));
using TwoHalves = std::uint16_t __attribute__((vector_size(64)));  ///< two per 32-bit word, the lower half first

/// bfloat16 in memory: the upper half of a float.
struct BFloat16 {
    std::uint16_t bits;
};

/// The same memory format on a processor that rounds to it in one instruction instead of seven: for functions marked
/// ATELIER_NATIVE_BFLOAT16, which may be called only if hasNativeBFloat16(). Denormal numbers become zeros.
struct NativeBFloat16 {
    std::uint16_t bits;
};

inline bool hasNativeBFloat16()
{
#if defined(ATELIER_NATIVE_BFLOAT16)
    static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd")
        && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bf16");
    return has;
#else
    return false;
#endif
}

ATELIER_INLINE Floats spread(float value) { return Floats {} + value; }

ATELIER_INLINE Floats select(Ints mask, Floats yes, Floats no)
{
    return mask ? yes : no;
}

ATELIER_INLINE Floats load(const float* from)
{
    Floats values;
    std::memcpy(&values, from, sizeof values);
    return values;
}

ATELIER_INLINE void store(float* to, Floats values) { std::memcpy(to, &values, sizeof values); }

ATELIER_INLINE Floats load(const BFloat16* from)
{
    HalfWords halves;
    std::memcpy(&halves, from, sizeof halves);
    // Interleaves zeros: one instruction with AVX-512, where a conversion takes four. Other processors need more
    // instructions, but their matrix products are slow in bfloat16 anyway.
    return reinterpret_cast<Floats>(__builtin_shufflevector(halves, HalfWords {}, 16, 0, 16, 1, 16, 2, 16, 3, 16, 4, 16, 5, 16, 6,
        16, 7, 16, 8, 16, 9, 16, 10, 16, 11, 16, 12, 16, 13, 16, 14, 16, 15));
}

/// Rounds to nearest, ties to even; NaN stays NaN.
ATELIER_INLINE void store(BFloat16* to, Floats values)
{
    const Words bits = reinterpret_cast<Words>(values);
    const Words rounded = bits + 0x7fff + ((bits >> 16) & 1);
    const Words isNan = reinterpret_cast<Words>(values != values);
    const auto both = reinterpret_cast<TwoHalves>((rounded & ~isNan) | (isNan & 0x7fc00000));
    const HalfWords halves
        = __builtin_shufflevector(both, both, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    std::memcpy(to, &halves, sizeof halves);
}

#if defined(ATELIER_NATIVE_BFLOAT16)
ATELIER_INLINE Floats load(const NativeBFloat16* from) { return load(reinterpret_cast<const BFloat16*>(from)); }

ATELIER_INLINE void store(NativeBFloat16* to, Floats values)
{
    HalfWords halves;
    asm("vcvtneps2bf16 %1, %0" : "=v"(halves) : "v"(values));
    std::memcpy(to, &halves, sizeof halves);
}
#endif

/// Loads @p count < 16 elements; the other lanes are zero.
template <typename T>
ATELIER_INLINE Floats loadPart(const T* from, std::int64_t count)
{
    T buffer[kLanes] = {};
    std::memcpy(buffer, from, static_cast<std::size_t>(count) * sizeof(T));
    return load(buffer);
}

template <typename T>
ATELIER_INLINE void storePart(T* to, Floats values, std::int64_t count)
{
    T buffer[kLanes];
    store(buffer, values);
    std::memcpy(to, buffer, static_cast<std::size_t>(count) * sizeof(T));
}

/// Calls body(index, load, store) for every 16 elements and for the remainder of @p count; load(pointer) and
/// store(pointer, values) access only elements within @p count.
template <typename Body>
ATELIER_INLINE void forLanes(std::int64_t count, Body body)
{
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes)
        body(i, [](const auto* from) ATELIER_LAMBDA_INLINE { return load(from); },
            [](auto* to, Floats values) ATELIER_LAMBDA_INLINE { store(to, values); });
    if (const std::int64_t rest = count - i; rest > 0)
        body(i, [rest](const auto* from) ATELIER_LAMBDA_INLINE { return loadPart(from, rest); },
            [rest](auto* to, Floats values) ATELIER_LAMBDA_INLINE { storePart(to, values, rest); });
}

/// All lanes combined by @p combine(half, other half), which takes vectors of any width, in a fixed order: the same on every processor.
template <typename Combine>
ATELIER_INLINE float folded(const Floats& values, Combine combine)
{
    const auto eight = combine(__builtin_shufflevector(values, values, 0, 1, 2, 3, 4, 5, 6, 7),
        __builtin_shufflevector(values, values, 8, 9, 10, 11, 12, 13, 14, 15));
    const auto four = combine(__builtin_shufflevector(eight, eight, 0, 1, 2, 3), __builtin_shufflevector(eight, eight, 4, 5, 6, 7));
    const auto two = combine(four, __builtin_shufflevector(four, four, 2, 3, 0, 1));
    return combine(two, __builtin_shufflevector(two, two, 1, 0, 3, 2))[0];
}

ATELIER_INLINE float sum(const Floats& values)
{
    return folded(values, [](auto a, auto b) ATELIER_LAMBDA_INLINE { return a + b; });
}

/// x clamped to [least, most]; NaN stays NaN. @tparam T the kernel's element type: for NativeBFloat16 this uses min and max
/// instructions, which compilers do not find.
template <typename T>
ATELIER_INLINE Floats clamped(Floats x, float least, float most)
{
#if defined(ATELIER_NATIVE_BFLOAT16)
    if constexpr (std::is_same_v<T, NativeBFloat16>) {
        Floats result;
        asm("vmaxps %1, %2, %0" : "=v"(result) : "v"(x), "v"(spread(least)));
        asm("vminps %1, %2, %0" : "=v"(result) : "v"(result), "v"(spread(most)));
        return result;
    }
#endif
    return select(x < least, spread(least), select(x > most, spread(most), x));
}

/// 1 / x for x in [1e-37, 1e37], with a relative error of 1e-7, in a third of a division's time: a line through the bits, then two steps of
/// Newton's method, the first with the factors for which the error is the smallest (Moroz et al., Simple Effective Fast Inverse
/// Square Root Algorithm with Two Magic Constants, 2018). NaN stays NaN.
ATELIER_INLINE Floats roughReciprocal(Floats x)
{
    Floats y = reinterpret_cast<Floats>(0x7EB53567 - reinterpret_cast<Ints>(x));
    y = 1.9395974F * y * (1.436142F - x * y);
    return y + y * (1.0F - x * y);
}

/// Adding this to a number of a magnitude below 2^22 rounds it to an integer, which the lowest bits of the sum then hold.
constexpr float kRounder = 12582912.0F;  // 1.5 · 2^23
constexpr float kLog2E = 1.44269504F;

/// e^x for x in [-87, 89], +infinity above 88.4; NaN stays NaN. Relative error about 1e-7.
ATELIER_INLINE Floats exponential(Floats x)
{
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

/// 2^x for x in [-126, 127], with a relative error of 4e-6, which is enough for bfloat16; NaN stays NaN.
ATELIER_INLINE Floats roughPowerOfTwo(Floats x)
{
    const Floats shifted = x + kRounder;
    const Floats f = x - (shifted - kRounder);
    Floats p = f * 0.00966636852F + 0.0559219758F;  // interpolates 2^f at Chebyshev's points of [-1/2, 1/2]
    p = p * f + 0.24022349F;
    p = p * f + 0.693121045F;
    p = p * f + 1.0F;
    return reinterpret_cast<Floats>(reinterpret_cast<Words>(p) + (reinterpret_cast<Words>(shifted) << 23));  // adds to the exponent
}

/// e^x in T's precision for x ≤ 0; 0 below -87; NaN stays NaN.
template <typename T>
ATELIER_INLINE Floats exponentialUpToOne(Floats x)
{
    const Floats within = clamped<T>(x, -87, 0);
    if constexpr (std::is_same_v<T, float>)
        return select(x < -87.0F, spread(0), exponential(within));
    return select(x < -87.0F, spread(0), roughPowerOfTwo(within * kLog2E));
}

}  // namespace engine::cpu
