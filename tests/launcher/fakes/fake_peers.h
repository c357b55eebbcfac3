// The ranks of a fake run, in lock step over real sockets, as collectives are.
#pragma once
#include <optional>
#include <vector>

namespace fakes {

class FakePeers {
public:
    /// Joins as torchrun's environment says; rank 0 accepts on the socket that it inherited.
    /// @return whether all are there.
    bool join();

    int rank() const { return m_rank; }
    int worldSize() const { return m_worldSize; }

    /// One exchange: everybody tells rank 0 a wish, everybody gets the largest. Blocks for as long as any
    /// peer does. @return nothing when a peer is gone.
    std::optional<char> agree(char wish);

private:
    bool acceptAll();
    bool connectToZero();

    int m_rank = 0;
    int m_worldSize = 1;
    std::vector<int> m_sockets;  ///< rank 0: to each other rank; others: to rank 0
};

}  // namespace fakes
