// What of a model lies on the device while it trains, while it is evaluated, and in between.
#pragma once
#include "engine/comm/accelerator.h"
#include "engine/contract/experiment.h"
#include "engine/shard/unit_sequence.h"

namespace engine {

/// [Note: offload]
/// engine.offload = optimizer: the optimizer's states leave the device while the model does not train. idle: its weights
/// and gradients too, while nothing uses them. shards: [Note: shards on the host] holds, and nothing is moved here.
/// Moves happen when the use changes, and nowhere else: not per step. Checkpoints read and write shards where they lie.
class Residency {
public:
    enum class Use {
        Nothing,     ///< nothing needs to be on the device
        Evaluation,  ///< samples, validation: weights
        Training     ///< weights, gradients and optimizer
    };

    /// @param accelerator nullptr on CPU, where nothing is moved. Everything referred to outlives this.
    Residency(UnitSequence& units, Accelerator* accelerator, const contract::Experiment& experiment);

    /// From now on. Gradients are dropped at the end of training. Nothing when that is the use already.
    void setUse(Use use);
    Use use() const { return m_use; }

    /// At once, whatever engine.offload says, and done when it returns; who comes from the device leaves no cached memory
    /// there. @throws std::invalid_argument for a device that is neither the host nor the units' own
    void to(c10::Device device, ShardParts parts);

private:
    UnitSequence& m_units;
    Accelerator* m_accelerator;
    c10::Device m_device;
    ShardParts m_idle;
    Use m_use = Use::Training;
};

}  // namespace engine
