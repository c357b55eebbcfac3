// How ranks find each other: a TCP store on rank 0, then Gloo or NCCL.
#pragma once
#include "engine/comm/accelerator.h"
#include "engine/comm/group.h"
#include "engine/comm/rank_identity.h"

#include <chrono>
#include <memory>

namespace engine {

/// Joins all ranks; every rank must call it. Blocks until all have come.
/// @param accelerator nullptr: Gloo on CPU.
/// @throws EngineError LostPeer when they do not all come within @p timeout, Failure when the port is taken.
std::unique_ptr<Group> joinRanks(
    const RankIdentity& identity, Accelerator* accelerator, std::chrono::milliseconds timeout);

}  // namespace engine
