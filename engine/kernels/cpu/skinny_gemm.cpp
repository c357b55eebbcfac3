#include "engine/kernels/cpu/skinny_gemm.h"

#include "engine/kernels/cpu/vector.h"

#include <algorithm>

// Arrays of sums stay in registers only if the loops over them are unrolled.
#define ATELIER_UNROLLED _Pragma("GCC unroll 4")

namespace engine::cpu {
namespace {

constexpr std::int64_t kOutputsAtOnce = 4;  ///< rows of weights: as many streams as a processor prefetches

template <typename Floats, typename T>
ATELIER_INLINE void storeOne(T* to, float value, bool adds)
{
    storePart(to, spread<Floats>(adds ? value + floatAt(to) : value), 1);
}

/// Computes outputs [o, o + kOutputs) of all rows.
template <typename Floats, std::int64_t kRows, std::int64_t kOutputs, typename T>
ATELIER_INLINE void dotProducts(
    std::int64_t o, std::int64_t in, Rowwise<const T> x, Rowwise<const T> w, const T* bias, Rowwise<T> out, bool adds)
{
    Floats sums[kOutputs][kRows] = {};
    forLanes<Floats>(in, [&](std::int64_t i, auto get, auto) ATELIER_LAMBDA_INLINE {
        Floats inputs[kRows];
        ATELIER_UNROLLED
        for (std::int64_t r = 0; r < kRows; ++r)
            inputs[r] = get(x.row(r) + i);
        ATELIER_UNROLLED
        for (std::int64_t k = 0; k < kOutputs; ++k) {
            const Floats weights = get(w.row(o + k) + i);
            ATELIER_UNROLLED
            for (std::int64_t r = 0; r < kRows; ++r)
                sums[k][r] += weights * inputs[r];
        }
    });
    ATELIER_UNROLLED
    for (std::int64_t k = 0; k < kOutputs; ++k) {
        const float start = bias ? floatAt(bias + o + k) : 0;
        ATELIER_UNROLLED
        for (std::int64_t r = 0; r < kRows; ++r)
            storeOne<Floats>(out.row(r) + o + k, start + sum(sums[k][r]), adds);
    }
}

template <typename Floats, std::int64_t kRows, typename T>
ATELIER_INLINE void forwardOf(std::int64_t begin, std::int64_t end, std::int64_t in, Rowwise<const T> x, Rowwise<const T> w,
    const T* bias, Rowwise<T> out, bool adds)
{
    std::int64_t o = begin;
    for (; o + kOutputsAtOnce <= end; o += kOutputsAtOnce)
        dotProducts<Floats, kRows, kOutputsAtOnce>(o, in, x, w, bias, out, adds);
    for (; o < end; ++o)
        dotProducts<Floats, kRows, 1>(o, in, x, w, bias, out, adds);
}

/// Adds g w of outputs [o, o + kOutputs) to the sums of all rows.
template <typename Floats, std::int64_t kRows, std::int64_t kOutputs, typename T>
ATELIER_INLINE void addOutputs(
    std::int64_t o, std::int64_t begin, std::int64_t count, Rowwise<const T> g, Rowwise<const T> w, float* sums)
{
    Floats factors[kOutputs][kRows];
    ATELIER_UNROLLED
    for (std::int64_t k = 0; k < kOutputs; ++k)
        ATELIER_UNROLLED
        for (std::int64_t r = 0; r < kRows; ++r)
            factors[k][r] = spread<Floats>(floatAt(g.row(r) + o + k));
    forLanes<Floats>(count, [&](std::int64_t i, auto get, auto put) ATELIER_LAMBDA_INLINE {
        Floats totals[kRows];
        ATELIER_UNROLLED
        for (std::int64_t r = 0; r < kRows; ++r)
            totals[r] = get(sums + r * count + i);
        ATELIER_UNROLLED
        for (std::int64_t k = 0; k < kOutputs; ++k) {
            const Floats weights = get(w.row(o + k) + begin + i);
            ATELIER_UNROLLED
            for (std::int64_t r = 0; r < kRows; ++r)
                totals[r] += weights * factors[k][r];
        }
        ATELIER_UNROLLED
        for (std::int64_t r = 0; r < kRows; ++r)
            put(sums + r * count + i, totals[r]);
    });
}

template <typename Floats, std::int64_t kRows, typename T>
ATELIER_INLINE void inputGradientOf(std::int64_t begin, std::int64_t end, std::int64_t outputs, Rowwise<const T> g,
    Rowwise<const T> w, float* sums, Rowwise<T> dx, bool adds)
{
    const std::int64_t count = end - begin;
    std::fill_n(sums, kRows * count, 0.0F);
    std::int64_t o = 0;
    for (; o + kOutputsAtOnce <= outputs; o += kOutputsAtOnce)
        addOutputs<Floats, kRows, kOutputsAtOnce>(o, begin, count, g, w, sums);
    for (; o < outputs; ++o)
        addOutputs<Floats, kRows, 1>(o, begin, count, g, w, sums);
    ATELIER_UNROLLED
    for (std::int64_t r = 0; r < kRows; ++r) {
        T* const to = dx.row(r) + begin;
        forLanes<Floats>(count, [&](std::int64_t i, auto get, auto put) ATELIER_LAMBDA_INLINE {
            const Floats total = get(sums + r * count + i);
            put(to + i, adds ? total + get(to + i) : total);
        });
    }
}

template <typename Floats, std::int64_t kRows, typename T>
ATELIER_INLINE void weightGradientOf(std::int64_t begin, std::int64_t end, std::int64_t in, const T* g, std::int64_t gRow,
    std::int64_t gColumn, Rowwise<const T> x, Rowwise<T> dw, bool adds)
{
    for (std::int64_t o = begin; o < end; ++o) {
        Floats factors[kRows];
        ATELIER_UNROLLED
        for (std::int64_t r = 0; r < kRows; ++r)
            factors[r] = spread<Floats>(floatAt(g + r * gRow + o * gColumn));
        T* const to = dw.row(o);
        forLanes<Floats>(in, [&](std::int64_t i, auto get, auto put) ATELIER_LAMBDA_INLINE {
            Floats total {};
            ATELIER_UNROLLED
            for (std::int64_t r = 0; r < kRows; ++r)
                total += factors[r] * get(x.row(r) + i);
            put(to + i, adds ? total + get(to + i) : total);
        });
    }
}

}  // namespace

#define ATELIER_FOR_ROWS(T, function, ...)                                         \
    forProcessor<T>([=]<typename Floats>(LanesTag<Floats>) ATELIER_LAMBDA_INLINE { \
        switch (rows) {                                                            \
        case 1: function<Floats, 1>(__VA_ARGS__); break;                           \
        case 2: function<Floats, 2>(__VA_ARGS__); break;                           \
        case 3: function<Floats, 3>(__VA_ARGS__); break;                           \
        default: function<Floats, 4>(__VA_ARGS__); break;                          \
        }                                                                          \
    })

#define ATELIER_DEFINE_SKINNY_GEMM(T)                                                                                       \
    void skinnyForward(std::int64_t begin, std::int64_t end, std::int64_t rows, std::int64_t in, Rowwise<const T> x,        \
        Rowwise<const T> w, const T* bias, Rowwise<T> out, bool adds)                                                       \
    {                                                                                                                       \
        ATELIER_FOR_ROWS(T, forwardOf, begin, end, in, x, w, bias, out, adds);                                              \
    }                                                                                                                       \
    void skinnyInputGradient(std::int64_t begin, std::int64_t end, std::int64_t rows, std::int64_t out, Rowwise<const T> g, \
        Rowwise<const T> w, float* sums, Rowwise<T> dx, bool adds)                                                          \
    {                                                                                                                       \
        ATELIER_FOR_ROWS(T, inputGradientOf, begin, end, out, g, w, sums, dx, adds);                                        \
    }                                                                                                                       \
    void skinnyWeightGradient(std::int64_t begin, std::int64_t end, std::int64_t rows, std::int64_t in, const T* g,         \
        std::int64_t gRow, std::int64_t gColumn, Rowwise<const T> x, Rowwise<T> dw, bool adds)                              \
    {                                                                                                                       \
        ATELIER_FOR_ROWS(T, weightGradientOf, begin, end, in, g, gRow, gColumn, x, dw, adds);                               \
    }

ATELIER_DEFINE_SKINNY_GEMM(float)
ATELIER_DEFINE_SKINNY_GEMM(BFloat16)
#if defined(__x86_64__)
ATELIER_DEFINE_SKINNY_GEMM(NativeBFloat16)
#endif

}  // namespace engine::cpu
