// Products of bfloat16 matrices in registers of AVX-512 (VDPBF16PS: pairs of neighbours along the inner dimension, summed in
// float32). CPU; one thread's share of the work, see matrix_product.cpp.
// Dims: M rows, N columns, K inner.
#pragma once
#include <cstdint>

namespace engine::cpu {

struct BFloat16;

/// Element (r, c) lies at data[r · rowStride + c · columnStride]; one of the two strides is 1.
struct StridedMatrix {
    const BFloat16* data = nullptr;
    std::int64_t rowStride = 0, columnStride = 1;
};

struct MatrixProduct {
    std::int64_t rows = 0, columns = 0, inner = 0;
    StridedMatrix left;               ///< [M, K]; K is even where columnStride is 1
    StridedMatrix right;              ///< [K, N]
    BFloat16* out = nullptr;          ///< [M, N]
    std::int64_t outStride = 0;       ///< of rows, whose elements are contiguous
    const BFloat16* bias = nullptr;   ///< [N]; nullptr: none
    bool adds = false;                ///< out += …
};

/// Whether this processor has the instructions, and none that are faster still (AMX, which oneDNN uses).
bool hasMatrixProducts();

/// out = or += left right + bias. Only where hasMatrixProducts(). Each element's sum has one order whatever is asked for
/// beside it. Keeps up to a few MiB for packed operands in each thread that calls it.
void multiply(const MatrixProduct& product);

}  // namespace engine::cpu
