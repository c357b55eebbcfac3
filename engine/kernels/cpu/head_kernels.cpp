#include "engine/kernels/cpu/head_kernels.h"

#include "engine/kernels/cpu/vector.h"

#include <algorithm>
#include <cmath>

namespace engine::cpu {
namespace {

/// Swaps neighbouring elements: 1, 0, 3, 2 …
template <typename Floats>
ATELIER_INLINE Floats swappedPairs(const Floats& x)
{
    if constexpr (isTwo<Floats>)
        return {swappedPairs(x.low), swappedPairs(x.high)};
    else if constexpr (laneCount<Floats> == 16)
        return __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
    else if constexpr (laneCount<Floats> == 8)
        return __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6);
    else
        return __builtin_shufflevector(x, x, 1, 0, 3, 2);
}

template <typename Floats, bool kNorms, bool kRotates, typename T>
ATELIER_INLINE void splitRows(
    Rows rows, std::int64_t heads, JoinedHeads<const T> x, SplitHeads<T> out, HeadTransform<T> form)
{
    const std::int64_t size = rows.width;
    const float share = 1.0F / static_cast<float>(size);
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        const std::int64_t token = row % rows.tokens;
        const float* const cosines = form.cosines + (kRotates ? token * size : 0);
        const float* const sines = form.sines + (kRotates ? token * size : 0);
        for (std::int64_t head = 0; head < heads; ++head) {
            const T* const from = x.data + row * x.rowStride + head * size;
            T* const to = out.of(row / rows.tokens, head, token);
            float factor = form.scale;
            if constexpr (kNorms) {
                Floats squares {};
                forLanes<Floats>(size, [&](std::int64_t i, auto get, auto) ATELIER_LAMBDA_INLINE {
                    const Floats value = get(from + i);
                    squares += value * value;
                });
                factor /= std::sqrt(sum(squares) * share + form.epsilon);
            }
            forLanes<Floats>(size, [&](std::int64_t i, auto get, auto put) ATELIER_LAMBDA_INLINE {
                Floats y = get(from + i) * factor;
                if constexpr (kNorms)
                    y *= get(form.weight + i);
                if constexpr (kRotates)
                    y = y * get(cosines + i) + swappedPairs(y) * get(sines + i);
                put(to + i, y);
            });
        }
    }
}

template <typename Floats, bool kNorms, bool kRotates, typename T>
ATELIER_INLINE void splitRowsBackward(Rows rows, std::int64_t heads, SplitHeads<const T> gradient,
    JoinedHeads<const T> x, JoinedHeads<T> dx, bool adds, HeadTransform<T> form, float* sums)
{
    const std::int64_t size = rows.width;
    const float share = 1.0F / static_cast<float>(size);
    if constexpr (kNorms)
        std::fill_n(sums, size, 0.0F);
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        const std::int64_t token = row % rows.tokens;
        const float* const cosines = form.cosines + (kRotates ? token * size : 0);
        const float* const sines = form.sines + (kRotates ? token * size : 0);
        for (std::int64_t head = 0; head < heads; ++head) {
            const T* const from = gradient.of(row / rows.tokens, head, token);
            T* const to = dx.data + row * dx.rowStride + head * size;
            // The gradient, scaled and rotated back.
            const auto rotatedBack = [&](std::int64_t i, auto get) ATELIER_LAMBDA_INLINE {
                const Floats g = get(from + i) * form.scale;
                if constexpr (kRotates)
                    return g * get(cosines + i) - swappedPairs(g) * get(sines + i);
                else
                    return g;
            };
            if constexpr (kNorms) {
                // y = w x r, r = 1 / √(mean x² + ε): dx = r (u - x r² mean(u x)) where u = w g.
                const T* const input = x.data + row * x.rowStride + head * size;
                Floats squares {}, products {};
                forLanes<Floats>(size, [&](std::int64_t i, auto get, auto) ATELIER_LAMBDA_INLINE {
                    const Floats value = get(input + i);
                    squares += value * value;
                    products += rotatedBack(i, get) * get(form.weight + i) * value;
                });
                const float r = 1.0F / std::sqrt(sum(squares) * share + form.epsilon);
                const float pull = r * r * sum(products) * share;
                forLanes<Floats>(size, [&](std::int64_t i, auto get, auto put) ATELIER_LAMBDA_INLINE {
                    const Floats value = get(input + i);
                    const Floats g = rotatedBack(i, get);
                    put(sums + i, get(sums + i) + g * value * r);
                    const Floats d = (g * get(form.weight + i) - value * pull) * r;
                    put(to + i, adds ? d + get(to + i) : d);
                });
            } else {
                forLanes<Floats>(size, [&](std::int64_t i, auto get, auto put) ATELIER_LAMBDA_INLINE {
                    const Floats d = rotatedBack(i, get);
                    put(to + i, adds ? d + get(to + i) : d);
                });
            }
        }
    }
}

}  // namespace

// Calls a function template for what @p form has.
#define ATELIER_FOR_FORM(T, function, ...)                                         \
    forProcessor<T>([=]<typename Floats>(LanesTag<Floats>) ATELIER_LAMBDA_INLINE { \
        if (form.weight && form.cosines)                                           \
            function<Floats, true, true, T>(__VA_ARGS__);                          \
        else if (form.weight)                                                      \
            function<Floats, true, false, T>(__VA_ARGS__);                         \
        else if (form.cosines)                                                     \
            function<Floats, false, true, T>(__VA_ARGS__);                         \
        else                                                                       \
            function<Floats, false, false, T>(__VA_ARGS__);                        \
    })

#define ATELIER_DEFINE_HEAD_KERNELS(T)                                                                               \
    void splitHeads(Rows rows, std::int64_t heads, JoinedHeads<const T> x, SplitHeads<T> out, HeadTransform<T> form) \
    {                                                                                                                \
        ATELIER_FOR_FORM(T, splitRows, rows, heads, x, out, form);                                                   \
    }                                                                                                                \
    void splitHeadsBackward(Rows rows, std::int64_t heads, SplitHeads<const T> gradient, JoinedHeads<const T> x,     \
        JoinedHeads<T> dx, bool addsToDx, HeadTransform<T> form, float* sums)                                        \
    {                                                                                                                \
        ATELIER_FOR_FORM(T, splitRowsBackward, rows, heads, gradient, x, dx, addsToDx, form, sums);                  \
    }

ATELIER_DEFINE_HEAD_KERNELS(float)
ATELIER_DEFINE_HEAD_KERNELS(BFloat16)
#if defined(__x86_64__)
ATELIER_DEFINE_HEAD_KERNELS(NativeBFloat16)
#endif

}  // namespace engine::cpu
