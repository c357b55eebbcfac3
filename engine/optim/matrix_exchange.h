// Gathers each sharded matrix on one rank, and scatters that rank's result back to the shards.
#pragma once
#include "engine/comm/group.h"
#include "engine/shard/unit_sequence.h"

#include <cstdint>
#include <string>
#include <vector>

namespace engine {

/// A matrix parameter of a unit, and the rank that processes it.
struct OwnedMatrix {
    std::size_t unit = 0, parameter = 0;
    std::int64_t rows = 0, columns = 0;
    int owner = 0;  ///< rank in the group
};

/// Assigns an owner to each matrix so that costs are balanced: in order of descending cost, each goes to the rank with the
/// least total cost so far.
std::vector<int> balancedOwners(const std::vector<double>& costs, int ranks);

/// [Note: matrices to owners]
/// One all-to-all sends all matrices of a model to their owners, and a second one sends the results back. Slot d of a rank's
/// buffer holds its pieces of the matrices that rank d owns, in list order. All slots have the length of the longest slot
/// between any two ranks. Holds two float32 buffers, each about as large as this rank's shard of the matrices.
class MatrixExchange {
public:
    /// @param matrices must be equal on every rank
    /// @param group the group over which the units are sharded
    MatrixExchange(UnitSequence& units, Group& group, std::vector<OwnedMatrix> matrices);

    const std::vector<OwnedMatrix>& matrices() const { return m_matrices; }

    /// This rank's elements of a matrix.
    struct Piece {
        std::int64_t shardBegin = 0;  ///< first element in the unit's shard
        at::Tensor values;            ///< [n] float32; fill it before gather(); scatter() writes the result here; n may be 0
    };
    const Piece& piece(std::size_t matrix) const { return m_pieces[matrix]; }

    /// Sends the pieces to their owners. Collective.
    void gather();
    /// Returns a copy of a matrix that this rank owns, [rows, columns] float32.
    at::Tensor fullMatrix(std::size_t matrix) const;
    void setFullMatrix(std::size_t matrix, const at::Tensor& value);
    /// Sends the owners' results back to the pieces. Collective.
    void scatter();

private:
    Group& m_group;
    std::vector<OwnedMatrix> m_matrices;
    std::vector<Piece> m_pieces;                   ///< by matrix; views of m_sharded
    std::vector<std::vector<at::Tensor>> m_parts;  ///< by matrix: if owned, its parts by rank; views of m_owned
    at::Tensor m_sharded;                          ///< [ranks × slot]
    at::Tensor m_owned;                            ///< [ranks × slot]
};

}  // namespace engine
