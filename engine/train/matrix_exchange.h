// Brings each sharded matrix whole to one rank, and what that rank made of it back to the shards.
#pragma once
#include "engine/comm/group.h"
#include "engine/shard/unit_sequence.h"

#include <cstdint>
#include <string>
#include <vector>

namespace engine {

/// A matrix of a unit, and who works on it.
struct OwnedMatrix {
    std::size_t unit = 0, parameter = 0;
    std::int64_t rows = 0, columns = 0;
    int owner = 0;
};

/// Owners such that all have about the same to do: the dearest first, each to the rank with the least so far.
std::vector<int> balancedOwners(const std::vector<double>& costs, int ranks);

/// [Note: matrices to owners]
/// One all-to-all for all matrices of a model, and one back. Slot d of a rank's buffer holds its pieces of the
/// matrices that rank d owns, in the order of the list; all slots are as long as the longest of any two ranks.
/// Two float32 buffers, each about as large as this rank's shard of the matrices, live as long as this.
class MatrixExchange {
public:
    /// @param matrices equal on every rank; @param group over which the units are sharded
    MatrixExchange(UnitSequence& units, Group& group, std::vector<OwnedMatrix> matrices);

    const std::vector<OwnedMatrix>& matrices() const { return m_matrices; }

    /// This rank's elements of a matrix.
    struct Piece {
        std::int64_t shardBegin = 0;  ///< in the unit's shard
        at::Tensor values;            ///< [n] float32, n may be 0: to be filled, and where the result arrives
    };
    const Piece& piece(std::size_t matrix) const { return m_pieces[matrix]; }

    /// Sends the pieces to their owners. Collective.
    void gather();
    /// A matrix that this rank owns. @return [rows, columns] float32, a copy
    at::Tensor whole(std::size_t matrix) const;
    void setWhole(std::size_t matrix, const at::Tensor& value);
    /// Sends the owners' matrices back to the pieces. Collective.
    void scatter();

private:
    Group& m_group;
    std::vector<OwnedMatrix> m_matrices;
    std::vector<Piece> m_pieces;                   ///< of every matrix, views of m_sharded
    std::vector<std::vector<at::Tensor>> m_parts;  ///< of each matrix that this rank owns, in order; views of m_owned
    at::Tensor m_sharded;                          ///< [ranks × slot]
    at::Tensor m_owned;                            ///< [ranks × slot]
};

}  // namespace engine
