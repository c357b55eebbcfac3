// Options of a model's units: dtypes, groups of ranks, where shards are kept.
#pragma once
#include "engine/comm/group.h"
#include "engine/shard/copy_stream.h"

#include <c10/core/ScalarType.h>

#include <cstdint>

namespace engine {

struct UnitOptions {
    at::ScalarType computeDtype = at::kFloat;  ///< of gathered parameters and their gradients
    at::ScalarType reduceDtype = at::kFloat;   ///< in which gradients are sent between ranks
    at::ScalarType trainedDtype = at::kFloat;  ///< of the master weights that train
    bool keepsAverage = true;                  ///< keep an EMA of the weights that train
    bool keepsOld = false, keepsReference = false;  ///< keep these copies of the weights that train; see Weights
    std::int64_t stateBlock = 1;               ///< block size of block-wise optimizer states; no block is split between ranks
    Group* replicas = nullptr;                 ///< ranks that hold the same shard; outlives the unit; nullptr: none
    Group* reshardGroup = nullptr;             ///< ranks among which parameters stay sharded after forward; outlives the unit
    bool storesFrozen = true;                  ///< false: the model's frozen parameters are read from a folder at every start
    const CopyStream* copies = nullptr;        ///< set: shards stay in host memory; see [Note: shards on the host]
};

/// [Note: shards on the host]
/// With UnitOptions::copies a rank's shards (master weights, gradients and optimizer states) stay in pinned host memory, where
/// the optimizer updates them, and the device holds gathered parameters only. A gather first copies the shard in the compute
/// dtype to the device; what a reduction leaves on the device is copied to gradShard. Both copies overlap with compute. The
/// replicas then sum each pass on the device.

/// Which shard a gather reads. The copies exist for what trains only, and only where UnitOptions ask for them: otherwise each of
/// them means the master weights.
enum class Weights {
    Master,
    Ema,       ///< a moving average, for evaluation
    Old,       ///< the policy that samples, where it only follows the one that trains (E-093)
    Reference  ///< the model that training began from; with an adapter, the model without it (E-102)
};

/// Which tensors of a shard an operation applies to. `weights` covers the master weights and their copies.
struct ShardParts {
    bool weights = true, gradients = true, optimizer = true;
};

}  // namespace engine
