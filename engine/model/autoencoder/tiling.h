// A picture that is too large to go through a network whole goes through in overlapping tiles.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace engine {

/// Along height and along width. Neighbouring tiles overlap by size - stride.
struct TileSize {
    std::int64_t size = 0, stride = 0;
};

/// What @p network makes of [..., H, W], tile by tile. In an overlap the later tile fades in linearly, first downwards,
/// then to the right.
/// @param in tiles of @p x; @param out what the network makes of such a tile: both fields grow by the same factor
at::Tensor tiled(const at::Tensor& x, TileSize in, TileSize out, const std::function<at::Tensor(const at::Tensor&)>& network);

}  // namespace engine
