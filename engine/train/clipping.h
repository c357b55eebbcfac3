// The global gradient norm and what is done about it.
#pragma once
#include <ATen/core/Tensor.h>

#include <algorithm>

namespace engine {

/// Sum of the squares of gradShard, accumulated in float64.
double sumOfSquares(const at::Tensor& gradShard);

/// By which gradients are multiplied so that their global L2 norm is at most @p largest (rows E-172, E-176, E-177).
/// @param largest ≤ 0: no clipping. @param norm finite.
inline double clipFactor(double norm, double largest)
{
    return largest > 0 ? std::min(1.0, largest / (norm + 1e-6)) : 1.0;
}

}  // namespace engine
