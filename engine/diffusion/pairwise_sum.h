// Sums whose rounding does not depend on the batch. LibTorch's own add the elements of a row in an order that depends on the number
// of rows, threads and the device, so that a row computed alone differs in its last bits from the same row in a batch.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace engine {

/// Sums over @p dim (not empty), which goes away. Adds halves to each other, so that the order depends on the dim's size alone.
/// Differentiable.
at::Tensor pairwiseSum(at::Tensor x, std::int64_t dim);

/// Means over all dims but the first, by pairwiseSum(). @param x [B, …] of a floating dtype @return [B]
at::Tensor pairwiseRowMeans(const at::Tensor& x);

}  // namespace engine
