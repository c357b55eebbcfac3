#include "engine/models/text/text_layers.h"

#include "engine/kernels/matrix_product.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <cmath>
#include <limits>
#include <optional>

namespace engine {
namespace {

double lowest(at::ScalarType dtype)
{
    if (dtype == at::kBFloat16)
        return static_cast<double>(std::numeric_limits<at::BFloat16>::lowest());
    if (dtype == at::kHalf)
        return static_cast<double>(std::numeric_limits<at::Half>::lowest());
    return static_cast<double>(std::numeric_limits<float>::lowest());
}

/// @param isVisible bool, true for keys that are attended to
at::Tensor biasFor(const at::Tensor& isVisible, at::ScalarType dtype)
{
    return at::zeros(isVisible.sizes(), isVisible.options().dtype(dtype)).masked_fill_(isVisible.logical_not(), lowest(dtype));
}

constexpr std::int64_t kLongestMaterialisedPrompt = 512;  ///< tokens; longer prompts use the flash kernel

/// Uninitialized [..., width], with the other dims, dtype and device of @p x.
at::Tensor emptyWithWidth(const at::Tensor& x, std::int64_t width)
{
    auto shape = x.sizes().vec();
    shape.back() = width;
    return at::empty(shape, x.options());
}

/// Repeats the key or value heads @p shared to as many heads as @p q has (grouped-query attention).
at::Tensor headsFor(const at::Tensor& q, const at::Tensor& shared)
{
    return shared.size(1) == q.size(1) ? shared : shared.repeat_interleave(q.size(1) / shared.size(1), 1);
}

/// [B, N] → [B, 1, 1, N] bool.
at::Tensor visibleKeys(const at::Tensor& mask) { return mask.to(at::kBool).unsqueeze(1).unsqueeze(1); }

}  // namespace

at::Tensor projected(const WeightScope& weights, const at::Tensor& x, std::int64_t out)
{
    at::Tensor result = emptyWithWidth(x, out);
    multiplyAddBias(result.view({-1, out}), x.reshape({-1, x.size(-1)}), weights("weight", {out, x.size(-1)}), weights("bias", {out}));
    return result;
}

at::Tensor projectedWithoutBias(const WeightScope& weights, const at::Tensor& x, std::int64_t out)
{
    at::Tensor result = emptyWithWidth(x, out);
    multiply(result.view({-1, out}), x.reshape({-1, x.size(-1)}), weights("weight", {out, x.size(-1)}).t(), false);
    return result;
}

at::Tensor projectedInFloat(const WeightScope& weights, const at::Tensor& x, std::int64_t out)
{
    const at::Tensor wide = x.to(at::kFloat);
    at::Tensor result = emptyWithWidth(wide, out);
    multiply(result.view({-1, out}), wide.reshape({-1, x.size(-1)}), weights.inFloat("weight", {out, x.size(-1)}).t(), false);
    return result;
}

at::Tensor rmsNormed(const WeightScope& weights, const at::Tensor& x, double epsilon)
{
    const at::Tensor wide = x.to(at::kFloat);
    const at::Tensor normed = wide * (wide.square().mean(-1, true) + epsilon).rsqrt();
    const at::Tensor weight = weights("weight", {x.size(-1)});
    return weight * normed.to(weight.scalar_type());
}

at::Tensor headsApart(const at::Tensor& x, std::int64_t heads)
{
    return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
}

at::Tensor headsTogether(const at::Tensor& x) { return x.transpose(1, 2).flatten(2); }

double defaultScale(const at::Tensor& heads) { return 1 / std::sqrt(static_cast<double>(heads.size(-1))); }

at::Tensor attended(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& bias, double scale)
{
    const at::Tensor keys = headsFor(q, k), values = headsFor(q, v);
    if (!q.is_cpu() || q.scalar_type() != at::kBFloat16 || q.size(2) > kLongestMaterialisedPrompt) {
        const auto mask = bias.defined() ? std::optional(bias) : std::nullopt;
        return headsTogether(at::scaled_dot_product_attention(q, keys, values, mask, 0, false, scale));
    }
    at::Tensor scores = at::matmul(scale == 1 ? q : q * scale, keys.transpose(2, 3));
    if (bias.defined())
        scores.add_(bias);
    return headsTogether(at::matmul(at::softmax(scores, -1), values));
}

at::Tensor attentionBias(const at::Tensor& mask, at::ScalarType dtype)
{
    return mask.defined() ? biasFor(visibleKeys(mask), dtype) : at::Tensor();
}

at::Tensor causalAttentionBias(const at::Tensor& mask, at::ScalarType dtype)
{
    const std::int64_t tokens = mask.size(1);
    const at::Tensor isEarlier = at::ones({tokens, tokens}, mask.options().dtype(at::kBool)).tril();
    return biasFor(visibleKeys(mask).logical_and(isEarlier), dtype);
}

}  // namespace engine
