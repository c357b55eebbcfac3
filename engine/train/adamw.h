// AdamW and the moving average of the weights, in one pass over a unit's shard.
#pragma once
#include "engine/shard/unit.h"

#include <cstdint>

namespace engine {

/// Loshchilov & Hutter, "Decoupled weight decay regularization" (2019), as torch.optim.AdamW computes it.
struct AdamWStep {
    double lr = 0;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double eps = 1e-8;
    double weightDecay = 0;
    double gradScale = 1;     ///< turns gradShard's sum into the clipped mean
    double emaDecay = 0;      ///< e ← d·e + (1 - d)·w after the step
    std::int64_t count = 1;   ///< applied steps including this one
};

/// Updates master, expAvg, expAvgSq, ema and slotToRefresh() of this rank's shard; gradients are left as they are.
void applyAdamW(Unit& unit, int rank, const AdamWStep& step);

/// Sum of the squares of gradShard, accumulated in float64.
double sumOfSquares(const at::Tensor& gradShard);

}  // namespace engine
