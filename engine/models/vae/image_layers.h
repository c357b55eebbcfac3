// Layers of convolutional networks over images; weights come from a checkpoint.
// Dims: B images, C channels, H × W.
#pragma once
#include "engine/weights/weight_lookup.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace engine {

/// Returns @p x in channels-last memory format, which convolutions are fastest with.
at::Tensor toChannelsLast(const at::Tensor& x);

/// SiLU. Overwrites @p x unless gradients are enabled, so @p x must not be used afterwards.
at::Tensor activated(const at::Tensor& x);

/// a + b. Overwrites @p b unless gradients are enabled.
at::Tensor sumOf(const at::Tensor& a, const at::Tensor& b);

/// A size-preserving 3 × 3 convolution. @param x [B, C, H, W] → [B, channels, H, W]
at::Tensor convolution3x3(const WeightScope& weights, const at::Tensor& x, std::int64_t channels);

/// A 1 × 1 convolution.
at::Tensor convolution1x1(const WeightScope& weights, const at::Tensor& x, std::int64_t channels);

/// Halves height and width: pads a zero row at the bottom and a zero column at the right, then convolves 3 × 3 with stride 2.
at::Tensor halved(const WeightScope& weights, const at::Tensor& x);

/// Doubles height and width by nearest-neighbour upsampling, then convolves 3 × 3. For larger images an equivalent convolution
/// of the smaller image saves the upsampled copy.
at::Tensor doubled(const WeightScope& weights, const at::Tensor& x, std::int64_t channels);

/// Single-head softmax attention over the elements of an image. @param q, k, v [B, H · W, C]
at::Tensor attendOverImage(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v);

}  // namespace engine
