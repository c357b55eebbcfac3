// The layout of a unit's tensors in its flat buffer, and the part of it that each rank owns.
#pragma once
#include <cstdint>
#include <vector>

namespace engine {

/// The properties of a tensor that planLayout() needs.
struct LayoutTensor {
    std::int64_t elements = 0;   ///< > 0
    std::int64_t rowLength = 1;  ///< elements of one index of dim 0; divides elements
    bool isDecayed = true;       ///< whether weight decay applies
    std::int64_t block = 1;      ///< shards never split a block of this many elements, whatever padding that costs
};

/// Consecutive elements of one tensor in one rank's shard.
struct LayoutPiece {
    std::size_t tensor = 0;           ///< index into the planned tensors
    std::int64_t tensorBegin = 0;     ///< first element, in the flattened tensor
    std::int64_t shardBegin = 0;      ///< first element, in the shard
    std::int64_t count = 0;           ///< > 0
};

/// The buffer holds worldSize shards of shardLength elements. Decayed tensors come before the others, so
/// that a shard has at most two ranges for the optimizer. Elements that no tensor covers are padding.
struct FlatLayout {
    int worldSize = 1;
    std::int64_t shardLength = 0;
    std::int64_t decayedEnd = 0;        ///< elements of the buffer before this index are decayed or padding
    std::vector<std::int64_t> offsets;  ///< of each tensor in the buffer, in the order given to planLayout()

    std::int64_t length() const { return shardLength * worldSize; }

    /// The pieces of @p rank's shard, in ascending order of shardBegin.
    std::vector<LayoutPiece> pieces(const std::vector<LayoutTensor>& tensors, int rank) const;

    /// Weight decay applies to elements [0, decayedCount) of @p rank's shard.
    std::int64_t decayedCount(int rank) const;
};

/// Plans a layout in which shards end between rows, and tensors below 4 kB of float32 are on one rank entirely, if that
/// costs less than 1/16 of the buffer in padding; otherwise shards may end inside rows. Offsets are multiples of 16
/// elements.
/// @throws std::invalid_argument for no tensors, or sizes out of the ranges above.
FlatLayout planLayout(const std::vector<LayoutTensor>& tensors, int worldSize);

}  // namespace engine
