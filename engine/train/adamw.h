// AdamW over the shards of units, with the moving average of the weights in the same pass.
#pragma once
#include "engine/train/adamw_kernel.h"
#include "engine/train/optimizer.h"

namespace engine {

/// Updates elements [begin, begin + n) of a unit's shard. @param moment1, moment2 [n] float32, theirs
void updateAdamW(Unit& unit, std::int64_t begin, const at::Tensor& moment1, const at::Tensor& moment2, const AdamWCoefficients& c);

/// States "exp_avg" and "exp_avg_sq" for some parameters of a unit, float32.
std::vector<ShardState> adamWStates(const Unit& unit, const std::vector<bool>& covers);

/// Updates the parameters that have adamWStates(), which are the first two of the unit's states.
void updateAdamWPart(Unit& unit, const AdamWOptions& options, const OptimizerStep& step);

/// States "exp_avg" and "exp_avg_sq" for what trains: 8 bytes a parameter.
class AdamW final : public Optimizer {
public:
    AdamW(UnitSequence& units, AdamWOptions options);
    void update(std::size_t unit, const OptimizerStep& step) override;

private:
    UnitSequence& m_units;
    AdamWOptions m_options;
};

}  // namespace engine
