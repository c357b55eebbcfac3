// Runs a network over a large image in overlapping tiles.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace engine {

/// Edge and distance of square tiles, in elements. Neighbouring tiles overlap by size - stride.
struct TileSize {
    std::int64_t size = 0, stride = 0;
};

/// Runs @p network on each tile of @p x [..., H, W] and returns the joined results. In an overlap the later tile fades in
/// linearly, first downwards, then to the right.
/// @param in tiles of @p x; @param out the corresponding tiles of the result: both fields scaled by the same factor
at::Tensor tiled(const at::Tensor& x, TileSize in, TileSize out, const std::function<at::Tensor(const at::Tensor&)>& network);

}  // namespace engine
