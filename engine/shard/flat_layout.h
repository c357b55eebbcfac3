// How the tensors of a unit lie in its flat buffer, and which part of it each rank owns.
#pragma once
#include <cstdint>
#include <vector>

namespace engine {

/// One tensor as the planner sees it.
struct LayoutTensor {
    std::int64_t elements = 0;   ///< > 0
    std::int64_t rowLength = 1;  ///< elements of one index of dim 0; divides elements
    bool isDecayed = true;       ///< by weight decay
    std::int64_t block = 1;      ///< shards end between blocks of so many elements, whatever that costs
};

/// Elements of one tensor that lie in one rank's shard.
struct LayoutPiece {
    std::size_t tensor = 0;           ///< index into the planned tensors
    std::int64_t tensorBegin = 0;     ///< first element, in the flattened tensor
    std::int64_t shardBegin = 0;      ///< where it lies in the shard
    std::int64_t count = 0;           ///< > 0
};

/// The buffer holds worldSize shards of shardLength elements. Decayed tensors come before the others, so
/// that a shard has at most two runs for the optimizer. What no tensor covers is padding.
struct FlatLayout {
    int worldSize = 1;
    std::int64_t shardLength = 0;
    std::int64_t decayedEnd = 0;        ///< elements of the buffer before it are decayed or padding
    std::vector<std::int64_t> offsets;  ///< of each tensor in the buffer, in the order they were given

    std::int64_t length() const { return shardLength * worldSize; }

    /// Pieces of @p rank's shard, ascending.
    std::vector<LayoutPiece> pieces(const std::vector<LayoutTensor>& tensors, int rank) const;

    /// Elements of @p rank's shard that are decayed: [0, decayedCount).
    std::int64_t decayedCount(int rank) const;
};

/// Boundaries between shards fall between rows, and tensors under 4 kB of float32 lie whole on one rank,
/// wherever that costs less than 1/16 of the buffer in padding; otherwise inside rows. Offsets are multiples
/// of 16 elements.
/// @throws std::invalid_argument for no tensors, or sizes out of the ranges above.
FlatLayout planLayout(const std::vector<LayoutTensor>& tensors, int worldSize);

}  // namespace engine
