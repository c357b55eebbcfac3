// The interface of optimizers.
#pragma once
#include "engine/comm/group.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/shard/unit_sequence.h"

#include <cstdint>
#include <memory>

namespace engine {

struct OptimizerStep {
    double lr = 0;
    double gradScale = 1;    ///< factor that turns the summed gradients in gradShard into the clipped mean
    double emaDecay = 0;     ///< d in ema ← ema + (1 - d)·(w - ema) after the step, a form exact for constant weights
    std::int64_t count = 1;  ///< applied steps including this one
};

/// Keeps all its state in Unit::optimizerStates, where checkpoints find it. Constructors create the state.
class Optimizer {
public:
    virtual ~Optimizer() = default;

    /// Called once per step before any update(). Collective.
    virtual void prepare(const OptimizerStep& /*step*/) { }

    /// Updates this rank's shard of a unit: master, the optimizer states, ema and slotToRefresh(). The contents of gradShard
    /// are unspecified afterwards.
    virtual void update(std::size_t unit, const OptimizerStep& step) = 0;
};

/// Updates the EMA and the gathered copy from the new weights, for elements [begin, begin + count) of a shard.
void updateEmaAndCopy(Unit& unit, std::int64_t begin, std::int64_t count, double oneMinusEmaDecay);

/// Whether Atelier's CPU kernels support the unit's device and dtypes; otherwise ATen updates it.
bool hasCpuKernels(const Unit& unit);

/// Returns UnitOptions::stateBlock for the experiment's optimizer.
std::int64_t stateBlockOf(const contract::Experiment& experiment);

/// Creates the experiment's optimizer. @p units and @p group must outlive it.
/// @param group the group over which the units are sharded
std::unique_ptr<Optimizer> makeOptimizer(const contract::Experiment& experiment, UnitSequence& units, Group& group);

}  // namespace engine
