// AdamW and the moving average of the weights, in one pass over a unit's shard.
#pragma once
#include "engine/train/optimizer.h"

namespace engine {

/// Loshchilov & Hutter, "Decoupled weight decay regularization" (2019), as torch.optim.AdamW computes it.
struct AdamWOptions {
    double beta1 = 0.9;
    double beta2 = 0.999;
    double eps = 1e-8;
    double weightDecay = 0;
};

/// Numbers of one step for a range of elements that are all decayed, or none of them.
struct AdamWCoefficients {
    AdamWCoefficients(const AdamWOptions& options, const OptimizerStep& step, bool isDecayed);

    float keep, stepSize, beta1, oneMinusBeta1, beta2, oneMinusBeta2, inverseRootCorrection2, eps, gradScale,
        emaDecay, oneMinusEmaDecay;
};

/// Updates elements [begin, begin + n) of a unit's shard. @param moment1, moment2 [n] float32, theirs
void updateAdamW(Unit& unit, std::int64_t begin, at::Tensor moment1, at::Tensor moment2, const AdamWCoefficients& c);

/// States "exp_avg" and "exp_avg_sq": 8 bytes a parameter.
class AdamW final : public Optimizer {
public:
    AdamW(UnitSequence& units, AdamWOptions options);
    void update(std::size_t unit, const OptimizerStep& step) override;

private:
    UnitSequence& m_units;
    AdamWOptions m_options;
};

}  // namespace engine
