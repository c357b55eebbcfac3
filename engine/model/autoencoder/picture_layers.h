// Layers of convolutional networks over pictures, with weights of a checkpoint.
// Dims: B pictures, C channels, H × W.
#pragma once
#include "engine/model/weight_lookup.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace engine {

/// The same in memory where a place's channels lie together, which is what convolutions compute with.
at::Tensor rowsOfChannels(const at::Tensor& x);

/// x sigmoid(x), in the memory of @p x unless gradients are asked for: of what nobody else reads.
at::Tensor activated(const at::Tensor& x);

/// a + b, in the memory of @p b likewise.
at::Tensor sumOf(const at::Tensor& a, const at::Tensor& b);

/// A 3 × 3 convolution that keeps the size. @param x [B, C, H, W] → [B, channels, H, W]
at::Tensor convolution3x3(const WeightScope& weights, const at::Tensor& x, std::int64_t channels);

/// A 1 × 1 convolution.
at::Tensor convolution1x1(const WeightScope& weights, const at::Tensor& x, std::int64_t channels);

/// Half the height and width: a zero row below, a zero column to the right, then 3 × 3 with stride 2 and no padding.
at::Tensor halved(const WeightScope& weights, const at::Tensor& x);

/// Twice the height and width by repetition, then 3 × 3; of larger pictures without the repetition.
at::Tensor doubled(const WeightScope& weights, const at::Tensor& x, std::int64_t channels);

/// Softmax attention of one head over the picture's elements. @param q, k, v [B, H · W, C]
at::Tensor attendOverPicture(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v);

}  // namespace engine
