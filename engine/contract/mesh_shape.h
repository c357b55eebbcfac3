// How the ranks of a run divide up: who shards the model together, who holds the same shard, who shares a sequence.
#pragma once
#include "engine/contract/experiment.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace contract {

/// [Note: meshes]
/// Two views of the same ranks, the last axis being consecutive ranks:
///   parameters  (replicate, shard): a shard group holds the model once, each rank a part; ranks with the same
///               part in different groups are replicas (hybrid sharding)
///   activations (data, ring, ulysses): ranks of one sequence group compute the same samples, each its own tokens;
///               inside, Ulysses exchanges heads for tokens and the ring passes keys and values round
/// Either view covers all ranks, and neither knows of the other: every rank's gradients are summed with all others'.
struct MeshShape {
    int world = 1;
    int shard = 1;
    int ring = 1;
    int ulysses = 1;
    int reshard = 0;  ///< ranks among which parameters stay sharded between forward and backward; 0: as before forward

    int replicas() const { return world / shard; }
    int sequence() const { return ring * ulysses; }
    int data() const { return world / sequence(); }

    enum class Axis { Shard, Replicate, Data, Ring, Ulysses, Reshard };

    /// The ranks that differ from @p rank along one axis only, itself included, ascending.
    std::vector<int> members(Axis axis, int rank) const;
};

/// From engine.shard_size, engine.reshard_group, engine.ring and engine.ulysses; ranks are given, since torchrun may start another number
/// than launch.ranks.
/// @param problem what does not divide, naming both numbers; the shape is then that of one sequence and shard group
MeshShape meshShape(const Experiment& experiment, int world, std::optional<Problem>& problem);

enum class Purpose { Training, Inference };

/// What engine.shard_size = auto takes: all ranks for training, since optimizer states and gradients are sharded with
/// the parameters; for inference 1 below 10 billion parameters, 8 below 80 billion, then all.
/// @return ranks of a shard group, at most @p world
int autoShardSize(std::int64_t parameters, Purpose purpose, int world);

}  // namespace contract
