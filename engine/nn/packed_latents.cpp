#include "engine/nn/packed_latents.h"

#include "engine/nn/layers.h"

namespace engine {

Var unpacked(Tape& tape, Var tokens, const PatchGrid& grid)
{
    const std::int64_t batch = tokens->data.size(0), edge = grid.patch;
    const std::int64_t channels = tokens->data.size(2) / (edge * edge);
    return permuted(tape, tokens, {batch, grid.rows, grid.columns, channels, edge, edge}, {0, 3, 1, 4, 2, 5},
        {batch, channels, grid.rows * edge, grid.columns * edge}, at::kFloat);
}

}  // namespace engine
