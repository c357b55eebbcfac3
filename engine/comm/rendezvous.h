// Connects the ranks: through a TCP store on rank 0, then by shared memory, Gloo or NCCL.
#pragma once
#include "engine/comm/accelerator.h"
#include "engine/comm/mesh.h"
#include "engine/comm/rank_identity.h"

#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace c10d {
class Store;
}

namespace engine {

/// How ranks exchange parameters and gradients.
enum class Exchange {
    Automatic,     ///< NCCL on GPUs; on CPU shared memory when all ranks are on this host and can open it, else Gloo
    SharedMemory,  ///< on CPU; as Automatic on GPUs
    Gloo           ///< on GPUs through the memory of their hosts
};

struct JoinOptions {
    Exchange exchange = Exchange::Automatic;
    std::chrono::milliseconds timeout {};  ///< of joining, and of each later collective
};

/// The ranks' connection to rank 0, through which they agree before they have groups. One rank needs none.
class Rendezvous {
public:
    /// Blocks until rank 0 listens.
    /// @throws EngineError LostPeer when it does not within the timeout; Failure when rank 0's port is already in use.
    Rendezvous(const RankIdentity& identity, const JoinOptions& options);
    ~Rendezvous();
    Rendezvous(Rendezvous&&) noexcept;
    Rendezvous& operator=(Rendezvous&&) noexcept;

    /// Returns the text of every rank, in the order of ranks. Collective.
    /// @param name must differ from those of other calls
    /// @throws EngineError LostPeer when not all ranks call it within the timeout.
    std::vector<std::string> gather(const std::string& name, const std::string& text);

    Exchange exchange() const { return m_options.exchange; }

    /// Builds the groups of @p shape that this rank belongs to. Every rank must call it, with the same shape of worldSize
    /// ranks. Blocks until all ranks have joined.
    /// @param accelerator nullptr for CPU
    /// @throws EngineError LostPeer when not all ranks join within the timeout; Failure when Exchange::SharedMemory is
    ///         requested and the ranks cannot share memory.
    std::unique_ptr<Mesh> join(const contract::MeshShape& shape, Accelerator* accelerator);

private:
    template <typename Action>
    auto connected(Action action) const;

    RankIdentity m_identity;
    JoinOptions m_options;
    c10::intrusive_ptr<c10d::Store> m_store;
};

/// Rendezvous and join() in one.
std::unique_ptr<Mesh> joinRanks(const RankIdentity& identity, const contract::MeshShape& shape,
    Accelerator* accelerator, const JoinOptions& options);

}  // namespace engine
