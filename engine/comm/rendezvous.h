// How ranks find each other: a TCP store on rank 0, then shared memory, Gloo or NCCL.
#pragma once
#include "engine/comm/accelerator.h"
#include "engine/comm/group.h"
#include "engine/comm/rank_identity.h"

#include <chrono>
#include <memory>

namespace engine {

/// How ranks on CPU exchange parameters and gradients.
enum class Exchange {
    Automatic,  ///< shared memory when all ranks are on this host and can open it, else Gloo
    SharedMemory,
    Gloo
};

/// Joins all ranks; every rank must call it. Blocks until all have come.
/// @param accelerator nullptr: CPU; otherwise NCCL whatever @p exchange says.
/// @throws EngineError LostPeer when they do not all come within @p timeout; Failure when the port is taken or
///         the ranks cannot share memory though they were told to.
std::unique_ptr<Group> joinRanks(const RankIdentity& identity, Accelerator* accelerator, Exchange exchange,
    std::chrono::milliseconds timeout);

}  // namespace engine
