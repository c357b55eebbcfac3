// Layers of text encoders, with weights of a checkpoint. Dims: B prompts, N tokens, D features, H heads, d per head.
#pragma once
#include "engine/model/weight_lookup.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace engine {

/// x W^T + b. @param x [..., in] → [..., out]
at::Tensor projected(const WeightScope& weights, const at::Tensor& x, std::int64_t out);
at::Tensor projectedWithoutBias(const WeightScope& weights, const at::Tensor& x, std::int64_t out);

/// x / sqrt(mean(x²) + epsilon) · weight; the mean in float32.
at::Tensor rmsNormed(const WeightScope& weights, const at::Tensor& x, double epsilon);

/// [B, N, H · d] → [B, H, N, d], without a copy, and back.
at::Tensor headsApart(const at::Tensor& x, std::int64_t heads);
at::Tensor headsTogether(const at::Tensor& x);

/// softmax(scale Q K^T + bias) V, joined.
///
/// On CPU in bfloat16 LibTorch's flash kernel takes two to seven times as long as products and a softmax, which short
/// prompts have the memory for.
/// @param q [B, H, N, d]; @param k, v [B, H or a part of it, N, d]: each for as many queries' heads in a row
/// @param bias [B or 1, H or 1, N, N] of their dtype → [B, N, H · d]
at::Tensor attended(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& bias, double scale);

/// 1 / √d of @p heads [B, H, N, d].
double usualScale(const at::Tensor& heads);

/// What to add to attention's logits. @param mask [B, N] or undefined
/// @return [B, 1, 1, N] of @p dtype: 0, or the lowest number where a token must not be looked at; undefined when
///         there is nothing to hide
at::Tensor attentionBias(const at::Tensor& mask, at::ScalarType dtype);

/// The same, and no token sees later ones: [B, 1, N, N]. @param mask defined
at::Tensor causalAttentionBias(const at::Tensor& mask, at::ScalarType dtype);

}  // namespace engine
