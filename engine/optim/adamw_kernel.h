// The AdamW update on the CPU, in one pass over memory.
#pragma once
#include "engine/optim/optimizer.h"

#include <cstdint>

namespace engine {

/// Loshchilov & Hutter, "Decoupled weight decay regularization" (2019), as torch.optim.AdamW computes it.
struct AdamWOptions {
    double beta1 = 0.9;
    double beta2 = 0.999;
    double eps = 1e-8;
    double weightDecay = 0;
};

/// Precomputed coefficients of one step, for elements that either all have weight decay or all have none.
struct AdamWCoefficients {
    AdamWCoefficients(const AdamWOptions& all, const OptimizerStep& now, bool isDecayed);

    AdamWOptions options;  ///< with weightDecay 0 for elements without decay
    OptimizerStep step;
    // Derived values:
    float keep, stepSize, beta1, oneMinusBeta1, beta2, oneMinusBeta2, inverseRootCorrection2, eps, gradScale,
        oneMinusEmaDecay;
};

/// Pointers to a contiguous range of elements. average and copy may be null.
struct AdamWRange {
    float* weight;
    float* average;  ///< EMA of the weights
    float* moment1;
    float* moment2;
    const float* gradient;
    void* copy;                ///< receives the new weights in the dtype in which they are gathered
    at::ScalarType copyDtype;  ///< float32 or bfloat16
};
void updateAdamW(const AdamWRange& range, std::int64_t count, const AdamWCoefficients& c);

}  // namespace engine
