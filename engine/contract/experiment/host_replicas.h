// What the arrangement of ranks means where they are on several hosts.
#pragma once
#include "engine/contract/experiment/experiment.h"

#include <string>

namespace contract {

/// @p experiment, with engine.shard_size = auto replaced by @p ranksOfAHost when the @p world ranks are on several hosts with that many ranks each:
/// the hosts are then replicas of each other, and parameters are gathered within a host only. Otherwise unchanged, also where each host has
/// one rank, which would hold the whole model; meshShape() takes auto for all ranks.
Experiment withHostReplicas(Experiment experiment, int world, int ranksOfAHost);

/// What a sequence that is spread over ranks (engine.ulysses, engine.ring) means for the network between hosts.
struct SequenceSpread {
    std::string sentence;  ///< empty: each sequence stays on one host
    bool isSlow = false;   ///< another layout would exchange less between hosts
};

/// @param ranksOfAHost of each of the hosts, with consecutive numbers; 0: not so, or not the same number for all
SequenceSpread sequenceSpread(const Experiment& experiment, int world, int ranksOfAHost);

}  // namespace contract
