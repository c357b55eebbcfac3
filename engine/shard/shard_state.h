// What lies beside the weights of a unit's shard and goes into checkpoints with them.
#pragma once
#include "engine/shard/flat_layout.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace engine {

/// One kind of state for the parameters of a unit, or for some of them.
struct ShardState {
    std::string name;            ///< "exp_avg": a checkpoint calls it "exp_avg/" and the parameter's name
    at::Tensor values = {};      ///< this rank's part, 1-D, any dtype
    std::int64_t blockSize = 1;  ///< elements of a parameter behind one element of its state
    /// Whether each parameter of the unit has it, and values holds the pieces of those alone, one after another. Empty: all
    /// have, and values lies like the shard itself.
    std::vector<bool> covers = {};

    /// Block-wise states are for parameters of at least so many elements.
    static constexpr std::int64_t kFewestInBlocks = 4096;
};

/// Where a rank's part of @p state lies, counted in elements of the state.
/// @param pieces of that rank's shard; with a blockSize they begin at multiples of it
std::vector<LayoutPiece> statePieces(const ShardState& state, const std::vector<LayoutPiece>& pieces);

/// Elements that values needs where covers is given.
std::int64_t stateLength(const ShardState& state, const std::vector<LayoutPiece>& pieces);

}  // namespace engine
