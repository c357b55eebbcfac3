// Sixteen floats at a time by the compiler's vector extension: one source for every processor, in vectors as wide as its own.
#pragma once
#include "engine/kernels/cpu/processor.h"

#include <array>
#include <cstring>
#include <type_traits>

// -Wpsabi warns of vectors passed between functions; all functions here that pass vectors are inlined.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace engine::cpu {

constexpr std::int64_t kLanes = 16;

template <int kCount>
struct Lanes;
#define ATELIER_DEFINE_LANES(count)                                          \
    template <>                                                              \
    struct Lanes<count> {                                                    \
        using Floats = float __attribute__((vector_size(count * 4)));          \
        using Ints = std::int32_t __attribute__((vector_size(count * 4)));     \
        using Words = std::uint32_t __attribute__((vector_size(count * 4)));   \
        using HalfWords = std::uint16_t __attribute__((vector_size(count * 2))); \
    };
ATELIER_DEFINE_LANES(4)
ATELIER_DEFINE_LANES(8)
ATELIER_DEFINE_LANES(16)
#undef ATELIER_DEFINE_LANES

/// Twice the lanes of Half. Compilers do split wider vectors into those that a processor has, but compare and select lane by lane, and
/// keep sums in memory.
template <typename Half>
struct Two {
    Half low, high;
};

template <typename V>
constexpr bool isTwo = false;
template <typename Half>
constexpr bool isTwo<Two<Half>> = true;

// [Note: sixteen lanes] Every processor computes sixteen lanes and adds them up in the same order (folded() below). A kernel is a template
// of their type, Floats, which is one of these.
using WideFloats = Lanes<16>::Floats;              ///< AVX-512
using HalvedFloats = Two<Lanes<8>::Floats>;        ///< AVX2
using QuarteredFloats = Two<Two<Lanes<4>::Floats>>;  ///< SSE2, NEON

template <typename V>
ATELIER_INLINE auto lowOf(const V& value)
{
    if constexpr (isTwo<V>)
        return value.low;
    else
        return value;
}

template <typename V>
ATELIER_INLINE auto highOf(const V& value)
{
    if constexpr (isTwo<V>)
        return value.high;
    else
        return value;
}

#define ATELIER_DEFINE_OPERATOR(op)                                       \
    template <typename A, typename B>                                     \
        requires(isTwo<A> || isTwo<B>)                                    \
    ATELIER_INLINE auto operator op(const A& a, const B& b)               \
    {                                                                     \
        const auto low = lowOf(a) op lowOf(b);                            \
        return Two<std::remove_const_t<decltype(low)>> {low, highOf(a) op highOf(b)}; \
    }
ATELIER_DEFINE_OPERATOR(+)
ATELIER_DEFINE_OPERATOR(-)
ATELIER_DEFINE_OPERATOR(*)
ATELIER_DEFINE_OPERATOR(/)
ATELIER_DEFINE_OPERATOR(<)
ATELIER_DEFINE_OPERATOR(>)
#undef ATELIER_DEFINE_OPERATOR

template <typename Half>
ATELIER_INLINE Two<Half> operator-(const Two<Half>& a)
{
    return {-a.low, -a.high};
}

template <typename Half, typename B>
ATELIER_INLINE Two<Half>& operator+=(Two<Half>& a, const B& b)
{
    a.low += lowOf(b);
    a.high += highOf(b);
    return a;
}

template <typename Half, typename B>
ATELIER_INLINE Two<Half>& operator*=(Two<Half>& a, const B& b)
{
    a.low *= lowOf(b);
    a.high *= highOf(b);
    return a;
}

template <typename Floats>
constexpr int laneCount = sizeof(Floats) / sizeof(float);

template <typename Floats>
ATELIER_INLINE Floats spread(float value)
{
    if constexpr (isTwo<Floats>) {
        const auto half = spread<decltype(Floats::low)>(value);
        return {half, half};
    } else {
        return Floats {} + value;
    }
}

/// @param mask what a comparison returned
template <typename Mask, typename Floats>
ATELIER_INLINE Floats select(const Mask& mask, const Floats& yes, const Floats& no)
{
    if constexpr (isTwo<Floats>)
        return {select(mask.low, yes.low, no.low), select(mask.high, yes.high, no.high)};
    else
        return mask ? yes : no;
}

ATELIER_INLINE float floatAt(const float* from) { return *from; }

template <typename Half>
ATELIER_INLINE float floatAt(const Half* from)
{
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(from->bits) << 16);
}

template <typename Floats>
ATELIER_INLINE Floats load(const float* from)
{
    if constexpr (isTwo<Floats>) {
        using Half = decltype(Floats::low);
        return {load<Half>(from), load<Half>(from + laneCount<Half>)};
    } else {
        Floats values;
        std::memcpy(&values, from, sizeof values);
        return values;
    }
}

template <typename Floats>
ATELIER_INLINE void store(float* to, const Floats& values)
{
    if constexpr (isTwo<Floats>) {
        store(to, values.low);
        store(to + laneCount<Floats> / 2, values.high);
    } else {
        std::memcpy(to, &values, sizeof values);
    }
}

template <typename Floats>
ATELIER_INLINE Floats load(const BFloat16* from)
{
    if constexpr (isTwo<Floats>) {
        using Half = decltype(Floats::low);
        return {load<Half>(from), load<Half>(from + laneCount<Half>)};
    } else {
        using Types = Lanes<laneCount<Floats>>;
        typename Types::HalfWords halves;
        std::memcpy(&halves, from, sizeof halves);
        if constexpr (laneCount<Floats> == 16) {
            // Interleaves zeros: one instruction with AVX-512, where a conversion takes four.
            return reinterpret_cast<Floats>(__builtin_shufflevector(halves, typename Types::HalfWords {}, 16, 0, 16, 1, 16, 2, 16, 3, 16, 4, 16,
                5, 16, 6, 16, 7, 16, 8, 16, 9, 16, 10, 16, 11, 16, 12, 16, 13, 16, 14, 16, 15));
        }
#if defined(__x86_64__)
        if constexpr (laneCount<Floats> == 8) {
            typename Types::Words words;
            asm("vpmovzxwd %1, %0" : "=x"(words) : "xm"(halves));  // which compilers make of four instructions
            return reinterpret_cast<Floats>(words << 16);
        }
#endif
        return reinterpret_cast<Floats>(__builtin_convertvector(halves, typename Types::Words) << 16);
    }
}

/// Rounds to nearest, ties to even; NaN stays NaN.
template <typename Floats>
ATELIER_INLINE void store(BFloat16* to, const Floats& values)
{
    if constexpr (isTwo<Floats>) {
        store(to, values.low);
        store(to + laneCount<Floats> / 2, values.high);
    } else {
        using Types = Lanes<laneCount<Floats>>;
        using Words = typename Types::Words;
        const Words bits = reinterpret_cast<Words>(values);
        const Words rounded = bits + 0x7fff + ((bits >> 16) & 1);
        const Words isNan = reinterpret_cast<Words>(values != values);
        const Words kept = (rounded & ~isNan) | (isNan & 0x7fc00000);
        typename Types::HalfWords halves;
        if constexpr (laneCount<Floats> == 16) {
            using TwoHalves = std::uint16_t __attribute__((vector_size(64)));  // two per word, the lower half first
            const auto both = reinterpret_cast<TwoHalves>(kept);
            halves = __builtin_shufflevector(both, both, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
        } else {
            halves = __builtin_convertvector(kept >> 16, typename Types::HalfWords);
        }
        std::memcpy(to, &halves, sizeof halves);
    }
}

template <typename Floats>
ATELIER_INLINE Floats load(const NativeBFloat16* from)
{
    return load<Floats>(reinterpret_cast<const BFloat16*>(from));
}

template <typename Floats>
ATELIER_INLINE void store(NativeBFloat16* to, const Floats& values)
{
    static_assert(laneCount<Floats> == kLanes && !isTwo<Floats>);
    typename Lanes<kLanes>::HalfWords halves;
#if defined(__x86_64__)
    asm("vcvtneps2bf16 %1, %0" : "=v"(halves) : "v"(values));
#endif
    std::memcpy(to, &halves, sizeof halves);
}

/// Loads @p count < 16 elements; the other lanes are zero.
template <typename Floats, typename T>
ATELIER_INLINE Floats loadPart(const T* from, std::int64_t count)
{
    T buffer[kLanes] = {};
    std::memcpy(buffer, from, static_cast<std::size_t>(count) * sizeof(T));
    return load<Floats>(buffer);
}

template <typename Floats, typename T>
ATELIER_INLINE void storePart(T* to, const Floats& values, std::int64_t count)
{
    T buffer[kLanes];
    store(buffer, values);
    std::memcpy(to, buffer, static_cast<std::size_t>(count) * sizeof(T));
}

/// Calls body(index, load, store) for every 16 elements and for the remainder of @p count; load(pointer) and
/// store(pointer, values) access only elements within @p count.
template <typename Floats, typename Body>
ATELIER_INLINE void forLanes(std::int64_t count, Body body)
{
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes)
        body(i, [](const auto* from) ATELIER_LAMBDA_INLINE { return load<Floats>(from); },
            [](auto* to, const Floats& values) ATELIER_LAMBDA_INLINE { store(to, values); });
    if (const std::int64_t rest = count - i; rest > 0)
        body(i, [rest](const auto* from) ATELIER_LAMBDA_INLINE { return loadPart<Floats>(from, rest); },
            [rest](auto* to, const Floats& values) ATELIER_LAMBDA_INLINE { storePart(to, values, rest); });
}

template <typename Floats>
ATELIER_INLINE std::array<float, kLanes> toArray(const Floats& values)
{
    std::array<float, kLanes> lanes;
    store(lanes.data(), values);
    return lanes;
}

template <typename Floats, typename Combine>
ATELIER_INLINE float folded(const Floats& values, Combine combine)
{
    if constexpr (isTwo<Floats>) {
        return folded(combine(values.low, values.high), combine);
    } else if constexpr (laneCount<Floats> == 16) {
        return folded(combine(__builtin_shufflevector(values, values, 0, 1, 2, 3, 4, 5, 6, 7),
                          __builtin_shufflevector(values, values, 8, 9, 10, 11, 12, 13, 14, 15)), combine);
    } else if constexpr (laneCount<Floats> == 8) {
        return folded(combine(__builtin_shufflevector(values, values, 0, 1, 2, 3), __builtin_shufflevector(values, values, 4, 5, 6, 7)), combine);
    } else {
        const auto two = combine(values, __builtin_shufflevector(values, values, 2, 3, 0, 1));
        return combine(two, __builtin_shufflevector(two, two, 1, 0, 3, 2))[0];
    }
}

template <typename Floats>
ATELIER_INLINE float sum(const Floats& values)
{
    return folded(values, [](const auto& a, const auto& b) ATELIER_LAMBDA_INLINE { return a + b; });
}

/// Tells a kernel its type of lanes.
template <typename Floats>
struct LanesTag { };

#if defined(__x86_64__)
template <typename Kernel>
__attribute__((target("arch=x86-64-v4"))) void runWide(Kernel kernel)
{
    kernel(LanesTag<WideFloats> {});
}

template <typename Kernel>
__attribute__((target("arch=x86-64-v3"))) void runHalved(Kernel kernel)
{
    kernel(LanesTag<HalvedFloats> {});
}
#endif

/// Calls kernel(LanesTag<Floats>()) as compiled for this processor, with its lanes: see [Note: sixteen lanes].
/// @param kernel an inlined lambda that captures by value, so that its loops need not read the captures again
/// @tparam T the kernel's type of elements; NativeBFloat16 only if hasNativeBFloat16()
template <typename T, typename Kernel>
ATELIER_INLINE void forProcessor(Kernel kernel)
{
    if constexpr (std::is_same_v<T, NativeBFloat16>) {
        runWide(kernel);
    } else {
#if defined(__x86_64__)
        if (__builtin_cpu_supports("x86-64-v4"))
            return runWide(kernel);
        if (__builtin_cpu_supports("x86-64-v3"))
            return runHalved(kernel);
#endif
        kernel(LanesTag<QuarteredFloats> {});
    }
}

}  // namespace engine::cpu
