// Which shards of a model stay on the device during training, during evaluation and in between.
#pragma once
#include "engine/comm/accelerator.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/shard/unit_sequence.h"

namespace engine {

/// [Note: offload]
/// The option engine.offload chooses what moves to the host:
/// - optimizer: the optimizer states, while the model does not train;
/// - idle: also the weights and gradients, while nothing uses them;
/// - shards: nothing moves here; see [Note: shards on the host].
/// Shards move only when the use changes, not in every step. Nothing is in use from the start to the first step, while an
/// autoencoder decodes samples, and from the end of an evaluation to the next use. Checkpoints read and write shards on whichever
/// device they are.
class Offload {
public:
    enum class Use {
        None,        ///< nothing needs to be on the device
        Evaluation,  ///< samples and validation: weights are on the device
        Training     ///< weights, gradients and optimizer states are on the device
    };

    /// Starts with Use::Training. @param accelerator nullptr on CPU, where nothing moves
    /// Arguments held by reference or pointer must outlive this object.
    Offload(UnitSequence& units, Accelerator* accelerator, const contract::Experiment& experiment);

    /// Moves shards as @p use needs them. Leaving Use::Training discards the gradients. No-op when @p use is the current one.
    void setUse(Use use);
    Use use() const { return m_use; }

    /// Moves @p parts of all shards to @p device, regardless of engine.offload. After a move to the host the copies are
    /// complete when it returns, and the memory that the shards used is released from the device's cache.
    /// @throws std::invalid_argument for a device that is neither the host nor the units' own
    void to(c10::Device device, ShardParts parts);

private:
    UnitSequence& m_units;
    Accelerator* m_accelerator;
    c10::Device m_device;
    ShardParts m_offloaded;  ///< parts that engine.offload moves to the host while they are not needed
    Use m_use = Use::Training;
};

}  // namespace engine
