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

/// What to add to attention's logits. @param mask [B, N] or undefined
/// @return [B, 1, N or 1, N] of @p dtype: 0, or the lowest number where a token must not be looked at; undefined when
///         there is nothing to hide
at::Tensor attentionBias(const at::Tensor& mask, at::ScalarType dtype);

/// The same, and no token sees later ones: [B, 1, N, N]. @param mask defined
at::Tensor causalAttentionBias(const at::Tensor& mask, at::ScalarType dtype);

}  // namespace engine
