#include "engine/model/text/text_layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <c10/util/BFloat16.h>

#include <limits>

namespace engine {
namespace {

double lowest(at::ScalarType dtype)
{
    return dtype == at::kBFloat16 ? static_cast<double>(std::numeric_limits<at::BFloat16>::lowest())
                                  : static_cast<double>(std::numeric_limits<float>::lowest());
}

/// @param isSeen bool
at::Tensor biasFor(const at::Tensor& isSeen, at::ScalarType dtype)
{
    return at::zeros(isSeen.sizes(), isSeen.options().dtype(dtype)).masked_fill_(isSeen.logical_not(), lowest(dtype));
}

at::Tensor seenKeys(const at::Tensor& mask) { return mask.to(at::kBool).unsqueeze(1).unsqueeze(1); }

}  // namespace

at::Tensor projected(const WeightScope& weights, const at::Tensor& x, std::int64_t out)
{
    return at::linear(x, weights("weight", {out, x.size(-1)}), weights("bias", {out}));
}

at::Tensor projectedWithoutBias(const WeightScope& weights, const at::Tensor& x, std::int64_t out)
{
    return at::linear(x, weights("weight", {out, x.size(-1)}));
}

at::Tensor rmsNormed(const WeightScope& weights, const at::Tensor& x, double epsilon)
{
    const at::Tensor wide = x.to(at::kFloat);
    const at::Tensor normed = wide * (wide.square().mean(-1, true) + epsilon).rsqrt();
    return weights("weight", {x.size(-1)}) * normed.to(x.scalar_type());
}

at::Tensor headsApart(const at::Tensor& x, std::int64_t heads)
{
    return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
}

at::Tensor headsTogether(const at::Tensor& x) { return x.transpose(1, 2).flatten(2); }

at::Tensor attentionBias(const at::Tensor& mask, at::ScalarType dtype)
{
    return mask.defined() ? biasFor(seenKeys(mask), dtype) : at::Tensor();
}

at::Tensor causalAttentionBias(const at::Tensor& mask, at::ScalarType dtype)
{
    const std::int64_t tokens = mask.size(1);
    const at::Tensor isEarlier = at::ones({tokens, tokens}, mask.options().dtype(at::kBool)).tril();
    return biasFor(seenKeys(mask).logical_and(isEarlier), dtype);
}

}  // namespace engine
