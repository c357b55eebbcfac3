// The operations of diffusion transformers between matrix products, each in one pass over memory. CPU; each call is one
// thread's share of the work, see engine/kernels/layer_kernels.cpp.
// T is float, BFloat16 or NativeBFloat16; sums are float32. Results for the same shape are equal in every run.
#pragma once
#include <cstdint>

namespace engine::cpu {

struct BFloat16;
struct NativeBFloat16;

/// Rows [begin, end) of a [samples · tokens, width] tensor, whose pointers are to row 0.
struct Rows {
    std::int64_t begin = 0, end = 0, tokens = 0, width = 0;
};

/// A column block of a [samples, stride] tensor: one vector of width elements per sample.
template <typename T>
struct PerSample {
    T* data = nullptr;
    std::int64_t stride = 0;
    T* of(std::int64_t sample) const { return data + sample * stride; }
};

// S, of shift, scale and gate, is T or float.
#define ATELIER_DECLARE_MODULATIONS(T, S)                                                                        \
    /* LayerNorm(x) (offset + scale) + shift; mean and 1/σ of each row are written for the backward. */           \
    void modulatedNorm(Rows rows, const T* x, PerSample<const S> shift, PerSample<const S> scale, T* out,         \
        float* mean, float* inverseDeviation, float epsilon, float scaleOffset);                                  \
    /* Rows of one sample. dx is added to or written; sums [2 · width] of dShift and dScale are written. */       \
    void modulatedNormBackward(Rows rows, const T* gradient, const T* x, PerSample<const S> scale,                \
        const float* mean, const float* inverseDeviation, T* dx, bool addsToDx, float scaleOffset,                \
        float* sums);                                                                                             \
    /* x + gate h */                                                                                              \
    void gatedAdd(Rows rows, const T* x, PerSample<const S> gate, const T* h, T* out);                            \
    /* Rows of one sample. dh = gate · gradient; sums [width] of h · gradient are written. */                     \
    void gatedAddBackward(Rows rows, const T* gradient, PerSample<const S> gate, const T* h, T* dh, float* sums);

ATELIER_DECLARE_MODULATIONS(float, float)
ATELIER_DECLARE_MODULATIONS(BFloat16, BFloat16)
ATELIER_DECLARE_MODULATIONS(BFloat16, float)
ATELIER_DECLARE_MODULATIONS(NativeBFloat16, NativeBFloat16)
ATELIER_DECLARE_MODULATIONS(NativeBFloat16, float)
#undef ATELIER_DECLARE_MODULATIONS

#define ATELIER_DECLARE_KERNELS(T)                                                                               \
    /* The tanh form of GELU. */                                                                                  \
    void gelu(const T* x, T* out, std::int64_t count);                                                            \
    void geluAndDerivative(T* x, T* out, std::int64_t count); /* x gets the derivative */                         \
    void multiplyElements(T* values, const T* factors, std::int64_t count);                                       \
    void silu(const T* x, T* out, std::int64_t count);                                                            \
    void siluBackward(const T* gradient, const T* x, T* dx, bool adds, std::int64_t count);                       \
    /* sums [width] over the rows are written. */                                                                 \
    void columnSums(Rows rows, const T* x, float* sums);                                                          \
    /* out [width] = or += the sums of @p pieces rows of floats. */                                               \
    void addPieces(const float* sums, std::int64_t pieces, std::int64_t stride, T* out, std::int64_t width,       \
        bool adds);                                                                                               \
    /* Of scale · x + bias over each row of x [samples · tokens, width], in place; bias [samples, width], nullptr: none. */ \
    void softmax(Rows rows, T* x, const float* bias, float scale);                                                \
    /* d = scale · p (d - Σ p d) over each row, in place. */                                                      \
    void softmaxBackward(const T* p, T* d, std::int64_t rows, std::int64_t width, float scale);

ATELIER_DECLARE_KERNELS(float)
ATELIER_DECLARE_KERNELS(BFloat16)
ATELIER_DECLARE_KERNELS(NativeBFloat16)
#undef ATELIER_DECLARE_KERNELS

}  // namespace engine::cpu
