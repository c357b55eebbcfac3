// Gradient clipping by the global norm.
#pragma once
#include <algorithm>

namespace engine {

/// Returns the factor that scales gradients to a global L2 norm of at most @p maxNorm (rows E-172, E-176, E-177).
/// @param norm global L2 norm of the gradients; must be finite
/// @param maxNorm 0 or less: no clipping
inline double clipFactor(double norm, double maxNorm)
{
    return maxNorm > 0 ? std::min(1.0, maxNorm / (norm + 1e-6)) : 1.0;
}

}  // namespace engine
