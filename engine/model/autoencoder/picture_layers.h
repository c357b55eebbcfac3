// Layers of convolutional networks over pictures, with weights of a checkpoint.
// Dims: B pictures, C channels, H × W.
#pragma once
#include "engine/model/weight_lookup.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace engine {

/// A 3 × 3 convolution that keeps the size. @param x [B, C, H, W] → [B, channels, H, W]
at::Tensor convolution3x3(const WeightScope& weights, const at::Tensor& x, std::int64_t channels);

/// A 1 × 1 convolution.
at::Tensor convolution1x1(const WeightScope& weights, const at::Tensor& x, std::int64_t channels);

/// Half the height and width: a zero row below, a zero column to the right, then 3 × 3 with stride 2 and no padding.
at::Tensor halved(const WeightScope& weights, const at::Tensor& x);

/// Twice the height and width by repetition, then 3 × 3.
at::Tensor doubled(const WeightScope& weights, const at::Tensor& x, std::int64_t channels);

/// Softmax attention of one head over the picture's elements. @param q, k, v [B, H · W, C]
at::Tensor attendOverPicture(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v);

}  // namespace engine
