// What diffusion transformers do between matrix products, in one pass over memory each. CPU, one thread.
// T is float or BFloat16; sums are float32. Results of one shape are equal on every run.
#pragma once
#include <cstdint>

namespace engine::cpu {

struct BFloat16;

/// Rows of a [samples · tokens, width] tensor.
struct Rows {
    std::int64_t samples = 0, tokens = 0, width = 0;
};

/// A column block of a [samples, stride] tensor: one vector of width elements per sample.
template <typename T>
struct PerSample {
    T* data = nullptr;
    std::int64_t stride = 0;
    T* of(std::int64_t sample) const { return data + sample * stride; }
};

#define ATELIER_DECLARE_KERNELS(T)                                                                               \
    /* LayerNorm(x) (1 + scale) + shift; mean and 1/σ of each row are kept for the way back. */                   \
    void modulatedNorm(Rows rows, const T* x, PerSample<const T> shift, PerSample<const T> scale, T* out,         \
        float* mean, float* inverseDeviation, float epsilon);                                                     \
    /* dx is added to or written; dShift and dScale are added to. scratch: 2 · width floats. */                   \
    void modulatedNormBackward(Rows rows, const T* gradient, const T* x, PerSample<const T> scale,                \
        const float* mean, const float* inverseDeviation, T* dx, bool addsToDx, PerSample<T> dShift,              \
        PerSample<T> dScale, float* scratch);                                                                     \
    /* x + gate h */                                                                                              \
    void gatedAdd(Rows rows, const T* x, PerSample<const T> gate, const T* h, T* out);                            \
    /* dh = gate · gradient; dGate += Σ over tokens of h · gradient. scratch: width floats. */                    \
    void gatedAddBackward(Rows rows, const T* gradient, PerSample<const T> gate, const T* h, T* dh,               \
        PerSample<T> dGate, float* scratch);                                                                      \
    /* The tanh form of GELU. */                                                                                  \
    void gelu(const T* x, T* out, std::int64_t count);                                                            \
    void geluBackward(const T* gradient, const T* x, T* dx, std::int64_t count);                                  \
    void silu(const T* x, T* out, std::int64_t count);                                                            \
    void siluBackward(const T* gradient, const T* x, T* dx, bool adds, std::int64_t count);                       \
    /* out[width] = or += sums over rows. scratch: width floats. */                                               \
    void columnSums(const T* x, std::int64_t rows, std::int64_t width, T* out, bool adds, float* scratch);        \
    /* [samples, tokens, parts, heads, size] ↔ [parts, samples, heads, tokens, size]; the first part scaled. */   \
    void splitHeads(const T* x, T* out, std::int64_t samples, std::int64_t tokens, std::int64_t parts,            \
        std::int64_t heads, std::int64_t size, float firstScale);                                                 \
    void joinHeads(const T* x, T* out, std::int64_t samples, std::int64_t tokens, std::int64_t parts,             \
        std::int64_t heads, std::int64_t size, float firstScale);                                                 \
    /* Over each row, in place. */                                                                                \
    void softmax(T* x, std::int64_t rows, std::int64_t width);                                                    \
    /* d = p (d - Σ p d) over each row, in place. */                                                              \
    void softmaxBackward(const T* p, T* d, std::int64_t rows, std::int64_t width);

ATELIER_DECLARE_KERNELS(float)
ATELIER_DECLARE_KERNELS(BFloat16)
#undef ATELIER_DECLARE_KERNELS

}  // namespace engine::cpu
