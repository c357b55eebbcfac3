// The quantile function of the beta distribution. Does not include torch.
#pragma once

namespace engine {

/// Returns x in [0, 1] with I_x(shape, shape) = @p probability, I being the regularised incomplete beta function: the quantile of
/// the symmetric distribution Beta(shape, shape). Exact to about 1e-14.
/// @param probability in [0, 1]; @param shape above 0
double symmetricBetaQuantile(double probability, double shape);

}  // namespace engine
