// What engine.shard_size = auto means for ranks on several hosts.
#pragma once
#include "engine/contract/experiment/experiment.h"

namespace contract {

/// @p experiment, with engine.shard_size = auto replaced by @p ranksOfAHost when the @p world ranks are on several hosts with that many ranks each:
/// the hosts are then replicas of each other, and parameters are gathered within a host only. Otherwise unchanged, also where each host has
/// one rank, which would hold the whole model; meshShape() takes auto for all ranks.
Experiment withHostReplicas(Experiment experiment, int world, int ranksOfAHost);

}  // namespace contract
