// What the training step asks of any optimizer.
#pragma once
#include "engine/comm/group.h"
#include "engine/contract/experiment.h"
#include "engine/shard/unit_sequence.h"

#include <cstdint>
#include <memory>

namespace engine {

struct OptimizerStep {
    double lr = 0;
    double gradScale = 1;    ///< turns gradShard's sum into the clipped mean
    double emaDecay = 0;     ///< e ← e + (1 - d)·(w - e) after the step: an average of equal weights is those weights
    std::int64_t count = 1;  ///< applied steps including this one
};

/// Keeps its state in Unit::optimizerStates, made when it is built and nowhere else, so that checkpoints find it.
class Optimizer {
public:
    virtual ~Optimizer() = default;

    /// Before the units of a step are updated. Collective.
    virtual void prepare(const OptimizerStep& /*step*/) { }

    /// Updates this rank's shard of a unit: master, the states, ema and slotToRefresh(). gradShard is of no use afterwards.
    virtual void update(std::size_t unit, const OptimizerStep& step) = 0;
};

/// The moving average and the gathered copy follow the new weights of elements [begin, begin + count) of a shard.
void followWeights(Unit& unit, std::int64_t begin, std::int64_t count, double oneMinusEmaDecay);

/// Whether our own kernels know where a unit lies and what it is gathered as; otherwise ATen computes.
bool hasCpuKernels(const Unit& unit);

/// UnitOptions::stateBlock for the experiment's optimizer.
std::int64_t stateBlockOf(const contract::Experiment& experiment);

/// @param group over which the units are sharded. Everything referred to outlives the optimizer.
std::unique_ptr<Optimizer> makeOptimizer(const contract::Experiment& experiment, UnitSequence& units, Group& group);

}  // namespace engine
