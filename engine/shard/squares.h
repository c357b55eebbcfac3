// What a global norm is made of.
#pragma once
#include <ATen/core/Tensor.h>

namespace engine {

/// Sum of the squares, accumulated in float64: the same on every processor and any number of threads.
/// @param shard float32, on the CPU
double sumOfSquares(const at::Tensor& shard);

/// The sum over all of them, by one kernel on a GPU, and the host does not wait for it.
/// @param shards float32, on one device, at least one. @return [] float64 there
at::Tensor sumOfSquares(at::TensorList shards);

}  // namespace engine
