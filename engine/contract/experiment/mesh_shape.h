// How the ranks of a run are arranged: which shard the model together, which are replicas, which share a sequence.
#pragma once
#include "engine/contract/experiment/experiment.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace contract {

/// [Note: meshes]
/// There are two meshes over the same ranks; in both, ranks along the last axis are consecutive:
///   parameters  (replicate, shard): a shard group holds the model once, each rank one shard; ranks with the same
///               shard in different groups are replicas (hybrid sharding)
///   activations (data, ring, ulysses): the ranks of one sequence group compute the same samples, each its own tokens;
///               within the group, Ulysses exchanges heads for tokens and the ring passes keys and values around
/// Each mesh covers all ranks and is independent of the other, because gradients are summed over all ranks.
struct MeshShape {
    int world = 1;
    int shard = 1;
    int ring = 1;
    int ulysses = 1;
    int reshard = 0;  ///< ranks over which parameters stay sharded between forward and backward; 0: the shard group

    int replicas() const { return world / shard; }
    int sequence() const { return ring * ulysses; }
    int data() const { return world / sequence(); }

    enum class Axis { Shard, Replicate, Data, Ring, Ulysses, Reshard };

    /// The ranks that differ from @p rank only along @p axis, including @p rank, ascending.
    std::vector<int> members(Axis axis, int rank) const;
};

/// Shape from engine.shard_size, engine.reshard_group, engine.ring and engine.ulysses.
/// @param world the actual number of ranks; torchrun may start another number than launch.ranks
/// @param problem set when one number does not divide the other, naming both; the returned shape is then incomplete
MeshShape meshShape(const Experiment& experiment, int world, std::optional<Problem>& problem);

}  // namespace contract
