// What is done about the global gradient norm.
#pragma once
#include <algorithm>

namespace engine {

/// By which gradients are multiplied so that their global L2 norm is at most @p largest (rows E-172, E-176, E-177).
/// @param largest ≤ 0: no clipping. @param norm finite.
inline double clipFactor(double norm, double largest)
{
    return largest > 0 ? std::min(1.0, largest / (norm + 1e-6)) : 1.0;
}

}  // namespace engine
