// Products with a matrix of weights of so few rows that the weights' way through memory is all that counts: each is read or
// written once, as it lies. CPU; each call is one thread's share of the work, see thin_products.cpp.
// T is float, BFloat16 or NativeBFloat16; sums are float32. Dims: R rows (1 to kMostThinRows), I in, O out.
#pragma once
#include <cstdint>

namespace engine::cpu {

struct BFloat16;
struct NativeBFloat16;

constexpr std::int64_t kMostThinRows = 4;

/// A matrix whose rows are contiguous.
template <typename T>
struct Rowwise {
    T* data = nullptr;
    std::int64_t stride = 0;
    T* row(std::int64_t index) const { return data + index * stride; }
};

#define ATELIER_DECLARE_THIN_PRODUCTS(T)                                                                            \
    /* out [R, O] = or += x [R, I] w [O, I]^T + bias [O], columns begin up to end; bias nullptr: none. */           \
    void thinForward(std::int64_t begin, std::int64_t end, std::int64_t rows, std::int64_t in, Rowwise<const T> x,  \
        Rowwise<const T> w, const T* bias, Rowwise<T> out, bool adds);                                              \
    /* dx [R, I] = or += g [R, O] w [O, I], columns begin up to end; sums [R, end - begin] are scratch. */          \
    void thinInputGradient(std::int64_t begin, std::int64_t end, std::int64_t rows, std::int64_t out,               \
        Rowwise<const T> g, Rowwise<const T> w, float* sums, Rowwise<T> dx, bool adds);                             \
    /* dw [O, I] = or += g [R, O]^T x [R, I], rows begin up to end; element (r, o) of g lies at r gRow + o gColumn. */ \
    void thinWeightGradient(std::int64_t begin, std::int64_t end, std::int64_t rows, std::int64_t in, const T* g,   \
        std::int64_t gRow, std::int64_t gColumn, Rowwise<const T> x, Rowwise<T> dw, bool adds);

ATELIER_DECLARE_THIN_PRODUCTS(float)
ATELIER_DECLARE_THIN_PRODUCTS(BFloat16)
ATELIER_DECLARE_THIN_PRODUCTS(NativeBFloat16)
#undef ATELIER_DECLARE_THIN_PRODUCTS

}  // namespace engine::cpu
