// Per-parameter state that belongs to a unit's shard and is saved in checkpoints with the weights, such as optimizer state.
#pragma once
#include "engine/shard/flat_layout.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace engine {

/// One kind of state for all parameters of a unit, or for some of them.
struct ShardState {
    std::string name;            ///< "exp_avg"; its name in a checkpoint is "exp_avg/" and the parameter's name
    at::Tensor values = {};      ///< this rank's part, 1-D, any dtype
    std::int64_t blockSize = 1;  ///< elements of the parameter per element of the state
    /// Which parameters of the unit have this state; values then holds only their pieces, concatenated. Empty: all have it,
    /// and values has the layout of the shard.
    std::vector<bool> covers = {};

    /// Parameters with fewer elements have no block-wise state.
    static constexpr std::int64_t kFewestInBlocks = 4096;
};

/// The pieces of a rank's part of @p state, counted in elements of the state.
/// @param pieces of that rank's shard; with a blockSize they begin at multiples of it
std::vector<LayoutPiece> statePieces(const ShardState& state, const std::vector<LayoutPiece>& pieces);

/// The number of elements of values when covers is not empty.
std::int64_t stateLength(const ShardState& state, const std::vector<LayoutPiece>& pieces);

}  // namespace engine
