// How ranks find each other: a TCP store on rank 0, then shared memory, Gloo or NCCL.
#pragma once
#include "engine/comm/accelerator.h"
#include "engine/comm/mesh.h"
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

struct JoinOptions {
    Exchange exchange = Exchange::Automatic;  ///< on CPU; GPUs take NCCL
    std::chrono::milliseconds timeout {};     ///< of meeting, and of each collective afterwards
};

/// Joins all ranks, and the groups of @p shape that this one belongs to; every rank must call it, with the same
/// shape of worldSize ranks. Blocks until all have come.
/// @param accelerator nullptr: CPU
/// @throws EngineError LostPeer when they do not all come within the timeout; Failure when the port is taken or
///         the ranks cannot share memory though they were told to.
std::unique_ptr<Mesh> joinRanks(const RankIdentity& identity, const contract::MeshShape& shape,
    Accelerator* accelerator, const JoinOptions& options);

}  // namespace engine
