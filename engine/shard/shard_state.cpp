#include "engine/shard/shard_state.h"

namespace engine {

std::vector<LayoutPiece> statePieces(const ShardState& state, const std::vector<LayoutPiece>& pieces)
{
    if (state.covers.empty())
        return pieces;
    std::vector<LayoutPiece> result;
    std::int64_t cursor = 0;
    for (const LayoutPiece& piece : pieces) {
        if (!state.covers[piece.tensor])
            continue;
        const std::int64_t count = (piece.count + state.blockSize - 1) / state.blockSize;
        result.push_back({piece.tensor, piece.tensorBegin / state.blockSize, cursor, count});
        cursor += count;
    }
    return result;
}

std::int64_t stateLength(const ShardState& state, const std::vector<LayoutPiece>& pieces)
{
    const auto own = statePieces(state, pieces);
    return own.empty() ? 0 : own.back().shardBegin + own.back().count;
}

}  // namespace engine
