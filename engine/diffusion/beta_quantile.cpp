#include "engine/diffusion/beta_quantile.h"

#include <cmath>
#include <limits>

namespace engine {
namespace {

/// I_x(shape, shape) for x in [0, 1/2], where the integrand's binomial series converges at least by halves:
/// x^a / B(a, a) · Σ_n (1 - a)(2 - a)…(n - a) / n! · x^n / (a + n), with a = shape.
double lowerHalf(double x, double shape)
{
    double coefficient = 1, sum = 0;
    for (int n = 0; n < 1000; ++n) {
        const double term = coefficient / (shape + n);
        sum += term;
        if (std::abs(term) <= std::abs(sum) * std::numeric_limits<double>::epsilon())
            break;
        coefficient *= (n + 1 - shape) / (n + 1) * x;
    }
    return std::pow(x, shape) / std::beta(shape, shape) * sum;
}

}  // namespace

double symmetricBetaQuantile(double probability, double shape)
{
    if (probability > 0.5)
        return 1 - symmetricBetaQuantile(1 - probability, shape);
    double low = 0, high = 0.5;
    for (int halving = 0; halving < 60; ++halving) {
        const double middle = (low + high) / 2;
        (lowerHalf(middle, shape) < probability ? low : high) = middle;
    }
    return low;
}

}  // namespace engine
