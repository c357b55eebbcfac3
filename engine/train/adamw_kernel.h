// AdamW's arithmetic on the CPU, in one pass over memory.
#pragma once
#include "engine/train/optimizer.h"

#include <cstdint>

namespace engine {

/// Loshchilov & Hutter, "Decoupled weight decay regularization" (2019), as torch.optim.AdamW computes it.
struct AdamWOptions {
    double beta1 = 0.9;
    double beta2 = 0.999;
    double eps = 1e-8;
    double weightDecay = 0;
};

/// Numbers of one step for elements that are all decayed, or none of them.
struct AdamWCoefficients {
    AdamWCoefficients(const AdamWOptions& all, const OptimizerStep& now, bool isDecayed);

    AdamWOptions options;  ///< weightDecay 0 where nothing decays
    OptimizerStep step;
    // What follows from them:
    float keep, stepSize, beta1, oneMinusBeta1, beta2, oneMinusBeta2, inverseRootCorrection2, eps, gradScale,
        oneMinusEmaDecay;
};

/// Elements next to each other. average and copy may be null.
struct AdamWRange {
    float* weight;
    float* average;
    float* moment1;
    float* moment2;
    const float* gradient;
    void* copy;                ///< gathered form of the new weights
    at::ScalarType copyDtype;  ///< float32 or bfloat16
};
void updateAdamW(const AdamWRange& range, std::int64_t count, const AdamWCoefficients& c);

}  // namespace engine
