// What a global norm is made of.
#pragma once
#include <ATen/core/Tensor.h>

namespace engine {

/// Sum of the squares, accumulated in float64: the same on every processor and any number of threads. On another device the
/// host waits for it. @param shard float32
double sumOfSquares(const at::Tensor& shard);

}  // namespace engine
