#include "engine/models/vae/tiling.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>

#include <algorithm>
#include <vector>

namespace engine {
namespace {

/// Returns @p later with its first rows (dim -2) or columns (dim -1) blended with the end of @p earlier, the previous tile.
at::Tensor fadedIn(const at::Tensor& earlier, const at::Tensor& later, std::int64_t dim, TileSize tile)
{
    const std::int64_t overlap
        = std::min({tile.size - tile.stride, earlier.size(dim) - tile.stride, later.size(dim)});
    if (overlap <= 0)
        return later;
    std::vector<std::int64_t> along(static_cast<std::size_t>(later.dim()), 1);
    along[static_cast<std::size_t>(later.dim() + dim)] = overlap;
    const at::Tensor share
        = (at::arange(overlap, later.options().dtype(at::kFloat)) / static_cast<double>(tile.size - tile.stride))
              .to(later.scalar_type())
              .view(along);
    const at::Tensor mixed
        = earlier.narrow(dim, tile.stride, overlap) * (1 - share) + later.narrow(dim, 0, overlap) * share;
    return at::cat(std::vector<at::Tensor> {mixed, later.narrow(dim, overlap, later.size(dim) - overlap)}, dim);
}

/// The part of @p tile that the next tile does not overlap.
at::Tensor withoutOverlap(const at::Tensor& tile, std::int64_t dim, std::int64_t stride)
{
    return tile.narrow(dim, 0, std::min(stride, tile.size(dim)));
}

}  // namespace

at::Tensor tiled(const at::Tensor& x, TileSize in, TileSize out, const std::function<at::Tensor(const at::Tensor&)>& network)
{
    const std::int64_t height = x.size(-2), width = x.size(-1);
    std::vector<at::Tensor> above, rows;
    for (std::int64_t top = 0; top < height; top += in.stride) {
        std::vector<at::Tensor> row, parts;
        for (std::int64_t left = 0; left < width; left += in.stride) {
            at::Tensor tile = network(x.narrow(-2, top, std::min(in.size, height - top))
                                          .narrow(-1, left, std::min(in.size, width - left)));
            if (!above.empty())
                tile = fadedIn(above[row.size()], tile, -2, out);
            if (!row.empty())
                tile = fadedIn(row.back(), tile, -1, out);
            parts.push_back(withoutOverlap(withoutOverlap(tile, -2, out.stride), -1, out.stride));
            row.push_back(std::move(tile));
        }
        rows.push_back(at::cat(parts, -1));
        above = std::move(row);
    }
    return at::cat(rows, -2);
}

}  // namespace engine
