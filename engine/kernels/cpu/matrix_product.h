// Products of float32 or bfloat16 matrices with AVX-512, or AMX where there is that, summed in float32. CPU; each call is one thread's share of the
// work, see engine/kernels/matrix_product.cpp.
// T is float or BFloat16. Dims: M rows, N columns, K inner.
#pragma once
#include <cstdint>

namespace engine::cpu {

struct BFloat16;

/// Element (r, c) is data[r · rowStride + c · columnStride]; one of the two strides is 1.
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
    std::int64_t outStride = 0;       ///< between rows, whose elements are contiguous
    const T* bias = nullptr;          ///< [N]; nullptr: none
    bool adds = false;                ///< out += …
};

/// Whether this processor has the instructions and no library is faster: for float32, MKL is on Intel processors (on AMD it reaches 100
/// of the 250 GF/s that AVX-512 allows, measured on one core).
template <typename T>
bool hasMatrixProducts();

/// out = or += left right + bias. Call it only if hasMatrixProducts<T>(). The order of an element's sum does not depend on
/// which other elements are computed. Each thread that calls it keeps up to a few MiB for packed operands.
template <typename T>
void multiply(const MatrixProduct<T>& product);

/// The same by AVX-512 on every processor.
template <typename T>
void multiplyByVectors(const MatrixProduct<T>& product);

/// How far apart the matrices of neighbouring products are, in elements.
struct Distances {
    std::int64_t left = 0, right = 0, out = 0;
};

/// Products of equal shape: some for each of several samples.
struct ProductBatch {
    std::int64_t perSample = 1;
    Distances samples, withinSample;
};

template <typename T>
MatrixProduct<T> productAt(const MatrixProduct<T>& first, std::int64_t index, const ProductBatch& batch)
{
    MatrixProduct<T> product = first;
    const std::int64_t sample = index / batch.perSample, within = index % batch.perSample;
    product.left.data += sample * batch.samples.left + within * batch.withinSample.left;
    product.right.data += sample * batch.samples.right + within * batch.withinSample.right;
    product.out += sample * batch.samples.out + within * batch.withinSample.out;
    return product;
}

/// The same of the products [begin, end) of a batch. @param first product of the batch
template <typename T>
void multiplyEach(const MatrixProduct<T>& first, const ProductBatch& batch, std::int64_t begin, std::int64_t end);

}  // namespace engine::cpu
