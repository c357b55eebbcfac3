// Rearranges the rows of a projection to the heads of attention and back, in one pass over memory. CPU; each call is one
// thread's share of the work, see engine/kernels/head_kernels.cpp. T is float, BFloat16 or NativeBFloat16; sums are float32.
#pragma once
#include "engine/kernels/cpu/layer_kernels.h"

namespace engine::cpu {

/// [samples, tokens, heads, size], the rows of all samples equally spaced.
template <typename T>
struct JoinedHeads {
    T* data = nullptr;
    std::int64_t rowStride = 0;
};

/// [samples, heads, tokens, size]
template <typename T>
struct SplitHeads {
    T* data = nullptr;
    std::int64_t sampleStride = 0, headStride = 0, tokenStride = 0;
    T* of(std::int64_t sample, std::int64_t head, std::int64_t token) const
    {
        return data + sample * sampleStride + head * headStride + token * tokenStride;
    }
};

/// y = rotated(x / rms(x) · weight) · scale, steps whose pointer is null are skipped.
template <typename T>
struct HeadTransform {
    const T* weight = nullptr;        ///< [size]
    const float* cosines = nullptr;   ///< [tokens, size]
    const float* sines = nullptr;     ///< [tokens, size], negated at even elements
    float scale = 1, epsilon = 0;
};

#define ATELIER_DECLARE_HEAD_KERNELS(T)                                                                             \
    void splitHeads(Rows rows, std::int64_t heads, JoinedHeads<const T> x, SplitHeads<T> out, HeadTransform<T> form); \
    /* Rows of one sample. dx is added to or written. sums [size] of dWeight are written where there is a weight;    \
       without one x is not read. */                                                                                \
    void splitHeadsBackward(Rows rows, std::int64_t heads, SplitHeads<const T> gradient, JoinedHeads<const T> x,    \
        JoinedHeads<T> dx, bool addsToDx, HeadTransform<T> form, float* sums);

ATELIER_DECLARE_HEAD_KERNELS(float)
ATELIER_DECLARE_HEAD_KERNELS(BFloat16)
ATELIER_DECLARE_HEAD_KERNELS(NativeBFloat16)
#undef ATELIER_DECLARE_HEAD_KERNELS

}  // namespace engine::cpu
