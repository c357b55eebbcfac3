#include "engine/kernels/matrix_product.h"

#include "engine/kernels/cpu/matrix_product.h"
#include "engine/kernels/cpu/processor.h"
#include "engine/kernels/skinny_gemm.h"

#include <ATen/Parallel.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <array>
#include <utility>

namespace engine {
namespace {

constexpr std::int64_t kMinSize = 8;  ///< rows and terms; with fewer, packing weights and writing results dominate

bool hasUnitStride(const at::Tensor& matrix) { return matrix.stride(0) == 1 || matrix.stride(1) == 1; }

bool hasOwnProducts(const at::Tensor& operand)
{
    const bool isHalf = operand.scalar_type() == at::kBFloat16, isFloat = operand.scalar_type() == at::kFloat;
    return operand.is_cpu() && ((isHalf && cpu::hasMatrixProducts<cpu::BFloat16>()) || (isFloat && cpu::hasMatrixProducts<float>()));
}

/// Whether our own kernel supports this product, and is fast for it.
bool isOwnProduct(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right)
{
    if (!hasOwnProducts(left))
        return false;
    const bool isHalf = left.scalar_type() == at::kBFloat16;
    return out.size(0) >= kMinSize && left.size(1) >= kMinSize && out.numel() > 0 && out.stride(1) == 1 && hasUnitStride(left)
        && hasUnitStride(right) && (!isHalf || left.stride(1) != 1 || left.size(1) % 2 == 0);
}

/// Whether LibTorch's products are slow for @p tensor: of bfloat16 on processors without AVX-512 it multiplies one number at a time.
bool isSlowElsewhere(const at::Tensor& tensor)
{
#if defined(__x86_64__)
    static const bool isSlow = !(__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"));
    return isSlow && tensor.is_cpu() && tensor.scalar_type() == at::kBFloat16;
#else
    return false;
#endif
}

constexpr std::int64_t kConverted = 1 << 18, kLeastConverted = 64;  ///< elements of a float32 block; rows, columns and terms

std::int64_t blockOf(std::int64_t width, std::int64_t whole)
{
    return std::clamp(kConverted / std::max<std::int64_t>(width, 1), std::min(kLeastConverted, whole), whole);
}

/// Memory that each thread keeps for the operands and the result of a block; a later call with the same @p slot overwrites it.
at::Tensor scratch(std::size_t slot, at::IntArrayRef shape)
{
    thread_local std::array<at::Tensor, 3> kept;
    const std::int64_t size = c10::multiply_integers(shape);
    if (!kept[slot].defined() || kept[slot].numel() < size) {
        const c10::InferenceMode isInferring(false);  // what is made within inference may not be written outside of it
        kept[slot] = at::empty({size}, at::kFloat);
    }
    return kept[slot].narrow(0, 0, size).view(shape);
}

/// A copy whose rows or columns are contiguous, as those of @p matrix [..., R, C] are.
at::Tensor inFloat(std::size_t slot, const at::Tensor& matrix)
{
    const bool isTransposed = matrix.stride(-2) == 1 && matrix.stride(-1) != 1;
    const at::Tensor copy = isTransposed ? scratch(slot, matrix.mT().sizes()).mT() : scratch(slot, matrix.sizes());
    return copy.copy_(matrix);
}

/// Converts blocks of the operands to float32, multiplies those and rounds once.
void multiplyInFloat(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right, const at::Tensor& bias, bool adds)
{
    const std::int64_t rows = out.size(0), columns = out.size(1), terms = left.size(1);
    const std::int64_t atOnce = blockOf(columns, terms), rowsAtOnce = blockOf(std::max(columns, atOnce), rows);
    for (std::int64_t row = 0; row < rows; row += rowsAtOnce) {
        const std::int64_t count = std::min(rowsAtOnce, rows - row);
        const at::Tensor to = out.narrow(0, row, count), from = left.narrow(0, row, count);
        at::Tensor sum = scratch(2, {count, columns});
        adds ? sum.copy_(to) : sum.zero_();
        for (std::int64_t term = 0; term < terms; term += atOnce) {
            const std::int64_t length = std::min(atOnce, terms - term);
            sum.addmm_(inFloat(0, from.narrow(1, term, length)), inFloat(1, right.narrow(0, term, length)));
        }
        if (bias.defined())
            sum.add_(bias);
        to.copy_(sum);
    }
}

void multiplyEachInFloat(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right)
{
    const std::int64_t count = out.size(0);
    const std::int64_t widest = std::max({out.size(1) * out.size(2), left.size(1) * left.size(2), right.size(1) * right.size(2)});
    const std::int64_t atOnce = std::clamp<std::int64_t>(kConverted / std::max<std::int64_t>(widest, 1), 1, std::max<std::int64_t>(count, 1));
    for (std::int64_t first = 0; first < count; first += atOnce) {
        const std::int64_t some = std::min(atOnce, count - first);
        at::Tensor product = scratch(2, {some, out.size(1), out.size(2)});
        at::bmm_out(product, inFloat(0, left.narrow(0, first, some)), inFloat(1, right.narrow(0, first, some)));
        out.narrow(0, first, some).copy_(product);
    }
}

/// The matrices of a batch [B, H, R, C] as [B H, R, C], copied only where their strides require it.
at::Tensor inOneBatch(const at::Tensor& matrices) { return matrices.flatten(0, 1); }

void multiplyEachElsewhere(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right)
{
    const bool isFlat = out.stride(0) == out.size(1) * out.stride(1);
    at::Tensor product = isFlat ? inOneBatch(out) : at::empty({out.size(0) * out.size(1), out.size(2), out.size(3)}, out.options());
    if (isSlowElsewhere(out))
        multiplyEachInFloat(product, inOneBatch(left), inOneBatch(right));
    else
        at::bmm_out(product, inOneBatch(left), inOneBatch(right));
    if (!isFlat)
        out.copy_(product.view(out.sizes()));
}

/// Calls @p body with a null pointer of the element type that our kernels use for @p tensor.
template <typename Body>
void withElements(const at::Tensor& tensor, Body body)
{
    if (tensor.scalar_type() == at::kBFloat16)
        body(static_cast<const cpu::BFloat16*>(nullptr));
    else
        body(static_cast<const float*>(nullptr));
}

template <typename T>
cpu::StridedMatrix<T> stridedMatrix(const at::Tensor& matrix)
{
    return {static_cast<const T*>(matrix.const_data_ptr()), matrix.stride(0), matrix.stride(1)};
}

template <typename T>
cpu::MatrixProduct<T> ownProduct(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right, const at::Tensor& bias, bool adds)
{
    return {out.size(0), out.size(1), left.size(1), stridedMatrix<T>(left), stridedMatrix<T>(right), static_cast<T*>(out.data_ptr()),
        out.stride(0), bias.defined() ? static_cast<const T*>(bias.const_data_ptr()) : nullptr, adds};
}

/// Divides the output among threads: first by columns, since weights are packed by columns, and by rows only if threads
/// are left.
template <typename T>
void multiplyParts(const cpu::MatrixProduct<T>& whole)
{
    constexpr std::int64_t kColumns = 48, kRows = 64;  // of the smallest part
    const auto partsOf = [](std::int64_t size, std::int64_t smallest, std::int64_t most) {
        const std::int64_t units = (size + smallest - 1) / smallest, parts = std::clamp<std::int64_t>(most, 1, units);
        const std::int64_t share = (units + parts - 1) / parts * smallest;
        return std::pair((size + share - 1) / share, share);
    };
    const std::int64_t threads = at::get_num_threads();
    const auto [across, width] = partsOf(whole.columns, kColumns, threads);
    const auto [down, height] = partsOf(whole.rows, kRows, threads / across);
    at::parallel_for(0, across * down, 1, [&, across = across, width = width, height = height](std::int64_t begin, std::int64_t end) {
        for (std::int64_t part = begin; part < end; ++part) {
            const std::int64_t row = part / across * height, column = part % across * width;
            cpu::MatrixProduct<T> own = whole;
            own.rows = std::min(height, whole.rows - row);
            own.columns = std::min(width, whole.columns - column);
            own.left.data += row * whole.left.rowStride;
            own.right.data += column * whole.right.columnStride;
            own.out += row * whole.outStride + column;
            own.bias = whole.bias ? whole.bias + column : nullptr;
            cpu::multiply(own);
        }
    });
}

void multiplyOwn(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right, const at::Tensor& bias, bool adds)
{
    withElements(out, [&]<typename T>(const T*) { multiplyParts(ownProduct<T>(out, left, right, bias, adds)); });
}

}  // namespace

void multiply(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right, bool adds)
{
    if (multiplySkinny(out, left, right, adds))
        return;
    if (isOwnProduct(out, left, right)) {
        multiplyOwn(out, left, right, {}, adds);
        return;
    }
    if (isSlowElsewhere(out)) {
        multiplyInFloat(out, left, right, {}, adds);
        return;
    }
    at::Tensor to = out;
    adds ? to.addmm_(left, right) : at::mm_out(to, left, right);
}

void multiplyAddBias(const at::Tensor& out, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias)
{
    if (multiplySkinnyAddBias(out, x, weight, bias))
        return;
    if (bias.stride(0) == 1 && isOwnProduct(out, x, weight.t())) {
        multiplyOwn(out, x, weight.t(), bias, false);
        return;
    }
    if (isSlowElsewhere(out)) {
        multiplyInFloat(out, x, weight.t(), bias, false);
        return;
    }
    at::Tensor to = out;
    at::addmm_out(to, bias, x, weight.t());
}

bool multipliesStrided(const at::Tensor& matrices) { return hasOwnProducts(matrices); }

void multiplyEach(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right)
{
    if (out.numel() == 0)
        return;
    const auto firstOf = [](const at::Tensor& matrices) { return matrices.select(0, 0).select(0, 0); };
    if (!isOwnProduct(firstOf(out), firstOf(left), firstOf(right))) {
        multiplyEachElsewhere(out, left, right);
        return;
    }
    withElements(out, [&]<typename T>(const T*) {
        const auto first = ownProduct<T>(firstOf(out), firstOf(left), firstOf(right), {}, false);
        const auto distances = [&](std::int64_t dim) { return cpu::Distances {left.stride(dim), right.stride(dim), out.stride(dim)}; };
        const cpu::ProductBatch batch {out.size(1), distances(0), distances(1)};
        at::parallel_for(0, out.size(0) * out.size(1), 1,
            [&](std::int64_t begin, std::int64_t end) { cpu::multiplyEach(first, batch, begin, end); });
    });
}

}  // namespace engine
