// Products of float32 or bfloat16 matrices in registers of AVX-512, summed in float32. CPU; one thread's share of the work, see
// matrix_product.cpp.
// T is float or BFloat16. Dims: M rows, N columns, K inner.
#pragma once
#include <cstdint>

namespace engine::cpu {

struct BFloat16;

/// Element (r, c) lies at data[r · rowStride + c · columnStride]; one of the two strides is 1.
template <typename T>
struct StridedMatrix {
    const T* data = nullptr;
    std::int64_t rowStride = 0, columnStride = 1;
};

template <typename T>
struct MatrixProduct {
    std::int64_t rows = 0, columns = 0, inner = 0;
    StridedMatrix<T> left;            ///< [M, K]; K is even where columnStride is 1 and T is BFloat16
    StridedMatrix<T> right;           ///< [K, N]
    T* out = nullptr;                 ///< [M, N]
    std::int64_t outStride = 0;       ///< of rows, whose elements are contiguous
    const T* bias = nullptr;          ///< [N]; nullptr: none
    bool adds = false;                ///< out += …
};

/// Whether this processor has the instructions, and no library is faster: for bfloat16 oneDNN where there is AMX, for float32
/// MKL on Intel's processors (on AMD's it uses half of what AVX-512 can do: measured 100 of 250 GF/s on one core).
template <typename T>
bool hasMatrixProducts();

/// out = or += left right + bias. Only where hasMatrixProducts<T>(). Each element's sum has one order whatever is asked for
/// beside it. Keeps up to a few MiB for packed operands in each thread that calls it.
template <typename T>
void multiply(const MatrixProduct<T>& product);

}  // namespace engine::cpu
