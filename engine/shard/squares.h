// Sums of squares, from which the global norm is computed.
#pragma once
#include <ATen/core/Tensor.h>

namespace engine {

/// The sum of squares, accumulated in float64: the same on every processor and with any number of threads.
/// @param shard float32, on the CPU
double sumOfSquares(const at::Tensor& shard);

/// The sum of squares over all @p shards, by one kernel on a GPU; the host does not wait for it.
/// @param shards at least one, float32, all on one device @return [] float64 on that device
at::Tensor sumOfSquares(at::TensorList shards);

}  // namespace engine
