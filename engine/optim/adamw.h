// AdamW over the shards of units. The same pass updates the EMA of the weights.
#pragma once
#include "engine/optim/adamw_kernel.h"
#include "engine/optim/optimizer.h"

namespace engine {

/// Updates elements [begin, begin + n) of a unit's shard. @param moment1, moment2 [n] float32, the moments of these elements
void updateAdamW(Unit& unit, std::int64_t begin, const at::Tensor& moment1, const at::Tensor& moment2, const AdamWCoefficients& c);

/// Creates the float32 states "exp_avg" and "exp_avg_sq" for the parameters of a unit that @p covers marks.
std::vector<ShardState> adamWStates(const Unit& unit, const std::vector<bool>& covers);

/// Updates the parameters that adamWStates() covers. Its two states must be the first two of the unit's states.
void updateAdamWPart(Unit& unit, const AdamWOptions& options, const OptimizerStep& step);

/// AdamW with float32 states "exp_avg" and "exp_avg_sq" for all trained parameters: 8 bytes per parameter.
class AdamW final : public Optimizer {
public:
    AdamW(UnitSequence& units, AdamWOptions options);
    void update(std::size_t unit, const OptimizerStep& step) override;

private:
    UnitSequence& m_units;
    AdamWOptions m_options;
};

}  // namespace engine
