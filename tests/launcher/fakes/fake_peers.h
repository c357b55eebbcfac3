// Synchronises the ranks of a fake run over real sockets, as collectives do.
#pragma once
#include <optional>
#include <vector>

namespace fakes {

class FakePeers {
public:
    /// Connects the ranks as torchrun's environment variables describe; rank 0 accepts on the socket that it inherited.
    /// @return whether all ranks are connected.
    bool join();

    int rank() const { return m_rank; }
    int worldSize() const { return m_worldSize; }

    /// An all-reduce with max: every rank gets the largest request of all ranks. Blocks until all ranks have called it.
    /// @return nullopt when a peer is gone.
    std::optional<char> agree(char wish);

private:
    bool acceptAll();
    bool connectToZero();

    int m_rank = 0;
    int m_worldSize = 1;
    std::vector<int> m_sockets;  ///< rank 0: to each other rank; others: to rank 0
};

}  // namespace fakes
