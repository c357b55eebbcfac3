#include "engine/kernels/skinny_gemm.h"

#include "engine/kernels/cpu/skinny_gemm.h"
#include "engine/kernels/kernel_shares.h"

#include <ATen/ops/empty.h>

#include <algorithm>

namespace engine {
namespace {

bool isSkinny(std::int64_t rows) { return rows >= 1 && rows <= cpu::kMostSkinnyRows; }

template <typename T>
cpu::Rowwise<T> rowwise(const at::Tensor& matrix)
{
    return {dataOf<T>(matrix), matrix.stride(0)};
}

bool hasRows(const at::Tensor& matrix) { return matrix.stride(1) == 1; }

/// Calls body(first, end) for ranges of the @p count rows or columns of weights, each of @p elements, on several threads.
template <typename Body>
void forShares(std::int64_t count, std::int64_t elements, Body body)
{
    at::parallel_for(0, count, std::max<std::int64_t>(1, kElementsPerThread / std::max<std::int64_t>(1, elements)), body);
}

bool forwardProduct(const at::Tensor& out, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, bool adds)
{
    return ranOnCpu(out, [&](auto* none) {
        using T = Element<decltype(none)>;
        forShares(weight.size(0), weight.size(1), [&](std::int64_t begin, std::int64_t end) {
            cpu::skinnyForward(begin, end, x.size(0), x.size(1), rowwise<const T>(x), rowwise<const T>(weight),
                dataOf<const T>(bias), rowwise<T>(out), adds);
        });
    });
}

bool inputGradient(const at::Tensor& dx, const at::Tensor& gradient, const at::Tensor& weight, bool adds)
{
    return ranOnCpu(dx, [&](auto* none) {
        using T = Element<decltype(none)>;
        forShares(weight.size(1), weight.size(0), [&](std::int64_t begin, std::int64_t end) {
            const at::Tensor sums = at::empty({gradient.size(0) * (end - begin)}, at::kFloat);
            cpu::skinnyInputGradient(begin, end, gradient.size(0), weight.size(0), rowwise<const T>(gradient),
                rowwise<const T>(weight), sums.data_ptr<float>(), rowwise<T>(dx), adds);
        });
    });
}

bool weightGradient(const at::Tensor& dWeight, const at::Tensor& gradient, const at::Tensor& x, bool adds)
{
    return ranOnCpu(dWeight, [&](auto* none) {
        using T = Element<decltype(none)>;
        forShares(dWeight.size(0), dWeight.size(1), [&](std::int64_t begin, std::int64_t end) {
            cpu::skinnyWeightGradient(begin, end, x.size(0), x.size(1), dataOf<const T>(gradient), gradient.stride(0),
                gradient.stride(1), rowwise<const T>(x), rowwise<T>(dWeight), adds);
        });
    });
}

}  // namespace

bool multiplySkinny(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right, bool adds)
{
    if (!hasRows(out))
        return false;
    if (isSkinny(left.size(1)) && hasRows(right) && !isSkinny(left.size(0)))
        return weightGradient(out, left.t(), right, adds);
    if (!isSkinny(left.size(0)) || !hasRows(left))
        return false;
    if (right.stride(0) == 1 && right.size(0) > 1)
        return forwardProduct(out, left, right.t(), {}, adds);
    return hasRows(right) && inputGradient(out, left, right, adds);
}

bool multiplySkinnyAddBias(const at::Tensor& out, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias)
{
    return isSkinny(x.size(0)) && hasRows(out) && hasRows(x) && hasRows(weight) && bias.stride(0) == 1
        && forwardProduct(out, x, weight, bias, false);
}

}  // namespace engine
