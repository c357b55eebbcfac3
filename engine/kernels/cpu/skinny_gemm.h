// Products of a few rows with a weight matrix. They are limited by memory bandwidth, so each weight is read or written once,
// in place. CPU; each call is one thread's share of the work, see engine/kernels/skinny_gemm.cpp.
// T is float, BFloat16 or NativeBFloat16; sums are float32. Dims: R rows (1 to kMostSkinnyRows), I in, O out.
#pragma once
#include <cstdint>

namespace engine::cpu {

struct BFloat16;
struct NativeBFloat16;

constexpr std::int64_t kMostSkinnyRows = 4;

/// A matrix whose rows are contiguous.
template <typename T>
struct Rowwise {
    T* data = nullptr;
    std::int64_t stride = 0;
    T* row(std::int64_t index) const { return data + index * stride; }
};

#define ATELIER_DECLARE_SKINNY_GEMM(T)                                                                              \
    /* out [R, O] = or += x [R, I] w [O, I]^T + bias [O], columns begin up to end; bias nullptr: none. */           \
    void skinnyForward(std::int64_t begin, std::int64_t end, std::int64_t rows, std::int64_t in, Rowwise<const T> x,  \
        Rowwise<const T> w, const T* bias, Rowwise<T> out, bool adds);                                              \
    /* dx [R, I] = or += g [R, O] w [O, I], columns begin up to end; sums [R, end - begin] are scratch. */          \
    void skinnyInputGradient(std::int64_t begin, std::int64_t end, std::int64_t rows, std::int64_t out,               \
        Rowwise<const T> g, Rowwise<const T> w, float* sums, Rowwise<T> dx, bool adds);                             \
    /* dw [O, I] = or += g [R, O]^T x [R, I], rows begin up to end; element (r, o) of g is at r gRow + o gColumn. */   \
    void skinnyWeightGradient(std::int64_t begin, std::int64_t end, std::int64_t rows, std::int64_t in, const T* g,   \
        std::int64_t gRow, std::int64_t gColumn, Rowwise<const T> x, Rowwise<T> dw, bool adds);

ATELIER_DECLARE_SKINNY_GEMM(float)
ATELIER_DECLARE_SKINNY_GEMM(BFloat16)
ATELIER_DECLARE_SKINNY_GEMM(NativeBFloat16)
#undef ATELIER_DECLARE_SKINNY_GEMM

}  // namespace engine::cpu
