// Layers of text encoders; weights come from a checkpoint. Dims: B prompts, N tokens, D features, H heads, d per head.
#pragma once
#include "engine/weights/weight_lookup.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace engine {

/// x W^T + b. @param x [..., in] → [..., out]
at::Tensor projected(const WeightScope& weights, const at::Tensor& x, std::int64_t out);
at::Tensor projectedWithoutBias(const WeightScope& weights, const at::Tensor& x, std::int64_t out);

/// The same without bias, in float32. @param x any dtype → float32
at::Tensor projectedInFloat(const WeightScope& weights, const at::Tensor& x, std::int64_t out);

/// x / sqrt(mean(x²) + epsilon) · weight; normalizes in float32. @param x any dtype → the dtype of the weight
at::Tensor rmsNormed(const WeightScope& weights, const at::Tensor& x, double epsilon);

/// [B, N, H · d] → [B, H, N, d], a view.
at::Tensor headsApart(const at::Tensor& x, std::int64_t heads);
/// [B, H, N, d] → [B, N, H · d].
at::Tensor headsTogether(const at::Tensor& x);

/// softmax(scale Q K^T + bias) V, with the heads joined.
///
/// On the CPU in bfloat16, LibTorch's flash kernel takes two to seven times as long as matrix products and a softmax, so short
/// prompts use the latter, which need more memory.
/// @param q [B, H, N, d]; @param k, v [B, H / n, N, d]: each of their heads serves n consecutive heads of @p q
/// @param bias [B or 1, H or 1, N, N] in the dtype of @p q; undefined: none; @return [B, N, H · d]
at::Tensor attended(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& bias, double scale);

/// Returns 1 / √d. @param heads [B, H, N, d]
double defaultScale(const at::Tensor& heads);

/// A bias for the attention logits that masks padding. @param mask [B, N], 0 for padding, or undefined
/// @return [B, 1, 1, N] of @p dtype: 0, or the dtype's lowest number for padding; undefined when @p mask is
at::Tensor attentionBias(const at::Tensor& mask, at::ScalarType dtype);

/// The same, and also masks later tokens. @param mask [B, N], defined; @return [B, 1, N, N]
at::Tensor causalAttentionBias(const at::Tensor& mask, at::ScalarType dtype);

}  // namespace engine
