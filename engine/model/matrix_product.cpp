#include "engine/model/matrix_product.h"

#include "engine/comm/cpu_vector.h"
#include "engine/model/cpu_matrix_product.h"
#include "engine/model/thin_products.h"

#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/mm.h>

#include <algorithm>
#include <utility>

namespace engine {
namespace {

/// LibTorch gives float32 products to MKL, which uses half of what an AMD processor with AVX-512 can do; its
/// other library, oneDNN, uses all of it (measured: 97 and 220 GF/s on one core). Elsewhere MKL is as fast.
bool prefersOneDnn()
{
#if defined(__x86_64__)
    static const bool isWideAmd = __builtin_cpu_supports("avx512f") && __builtin_cpu_is("amd");
    return isWideAmd;
#else
    return false;
#endif
}

using LinearPointwise = at::Tensor(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&,
    c10::string_view, c10::List<std::optional<at::Scalar>>, std::optional<c10::string_view>);

/// x weight^T + bias by oneDNN.
at::Tensor oneDnnLinear(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias)
{
    static const auto linear = c10::Dispatcher::singleton()
                                   .findSchemaOrThrow("mkldnn::_linear_pointwise", "")
                                   .typed<LinearPointwise>();
    static const c10::List<std::optional<at::Scalar>> kNoScalars;
    return linear.call(x, weight, bias, "none", kNoScalars, "");
}

constexpr std::int64_t kFewest = 8;  ///< rows and terms: of fewer, packing weights and writing results is what takes the time

bool hasUnitStride(const at::Tensor& matrix) { return matrix.stride(0) == 1 || matrix.stride(1) == 1; }

/// Whether our own kernel computes these.
bool isOwnProduct(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right)
{
    if (!left.is_cpu() || left.scalar_type() != at::kBFloat16 || !cpu::hasMatrixProducts())
        return false;
    return out.size(0) >= kFewest && left.size(1) >= kFewest && out.numel() > 0 && out.stride(1) == 1 && hasUnitStride(left)
        && hasUnitStride(right) && (left.stride(1) != 1 || left.size(1) % 2 == 0);
}

cpu::StridedMatrix stridedMatrix(const at::Tensor& matrix)
{
    return {static_cast<const cpu::BFloat16*>(matrix.const_data_ptr()), matrix.stride(0), matrix.stride(1)};
}

cpu::MatrixProduct ownProduct(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right, const at::Tensor& bias, bool adds)
{
    return {out.size(0), out.size(1), left.size(1), stridedMatrix(left), stridedMatrix(right),
        static_cast<cpu::BFloat16*>(out.data_ptr()), out.stride(0),
        bias.defined() ? static_cast<const cpu::BFloat16*>(bias.const_data_ptr()) : nullptr, adds};
}

/// A part of the output for each thread: of as many columns as keep a thread busy, since weights are packed by columns,
/// and of fewer rows only when threads are left.
void multiplyOwn(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right, const at::Tensor& bias, bool adds)
{
    constexpr std::int64_t kColumns = 48, kRows = 64;  // of the smallest part
    const cpu::MatrixProduct whole = ownProduct(out, left, right, bias, adds);
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
            cpu::MatrixProduct own = whole;
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

bool isForOneDnn(const at::Tensor& x)
{
    return x.is_cpu() && x.scalar_type() == at::kFloat && prefersOneDnn();
}

}  // namespace

void multiply(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right, bool adds)
{
    if (multiplyThin(out, left, right, adds))
        return;
    if (isOwnProduct(out, left, right)) {
        multiplyOwn(out, left, right, {}, adds);
        return;
    }
    at::Tensor to = out;
    if (isForOneDnn(left)) {
        const at::Tensor product = oneDnnLinear(left, right.t(), std::nullopt);
        adds ? to.add_(product) : to.copy_(product);
    } else if (adds) {
        to.addmm_(left, right);
    } else {
        at::mm_out(to, left, right);
    }
}

void multiplyAddBias(const at::Tensor& out, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias)
{
    if (multiplyThinAddBias(out, x, weight, bias))
        return;
    if (bias.stride(0) == 1 && isOwnProduct(out, x, weight.t())) {
        multiplyOwn(out, x, weight.t(), bias, false);
        return;
    }
    at::Tensor to = out;
    if (isForOneDnn(x))
        to.copy_(oneDnnLinear(x, weight, bias));
    else
        at::addmm_out(to, bias, x, weight.t());
}

void multiplyEach(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right)
{
    const std::int64_t count = out.size(0);
    if (count == 0 || !isOwnProduct(out.select(0, 0), left.select(0, 0), right.select(0, 0))) {
        at::Tensor to = out;
        at::bmm_out(to, left, right);
        return;
    }
    const cpu::MatrixProduct first = ownProduct(out.select(0, 0), left.select(0, 0), right.select(0, 0), {}, false);
    at::parallel_for(0, count, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            cpu::MatrixProduct product = first;
            product.left.data += i * left.stride(0);
            product.right.data += i * right.stride(0);
            product.out += i * out.stride(0);
            cpu::multiply(product);
        }
    });
}

}  // namespace engine
