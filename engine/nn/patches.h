// Images as rows of patches: embedding, fixed position tables, and the conversion back to images.
// Dims: B samples, C channels, p pixels along a patch's edge, h × w patches, D width.
#pragma once
#include "engine/autograd/tape.h"
#include "engine/nn/linear.h"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace engine {

/// How an image is divided into patches, in row-major order.
struct PatchGrid {
    std::int64_t patch = 1, rows = 1, columns = 1;

    /// @param latents [B, C, h p, w p]
    /// @throws EngineError WrongUsage for other shapes, naming the shape that the model expects.
    static PatchGrid of(const at::Tensor& latents, std::int64_t channels, std::int64_t patch);

    std::int64_t tokens() const { return rows * columns; }
};

/// [B, C, h p, w p] → [B, h w, C p p] of @p dtype, channels first within a patch
Var patchRows(Tape& tape, Var latents, const PatchGrid& grid, at::ScalarType dtype);

/// [B, C, h p, w p] → [B, count, D], for patches [first, first + count)
/// @param weights of a convolution [D, C, p, p] whose windows do not overlap
Var embedPatches(Tape& tape, Var latents, const PatchGrid& grid, std::int64_t first, std::int64_t count,
    const LinearWeights& weights);

/// [B, h w, p p C], channels last within a patch → [B, C, h p, w p] float32
Var unpatched(Tape& tape, Var tokens, const PatchGrid& grid);

/// Sines and cosines of a patch's position, as in diffusers' PatchEmbed: the first half of a table row encodes the patch's
/// column, the second half its row, each [sin(p f), cos(p f)] with f_k = 10000^(-k / (D / 4)).
/// @param firstRow, firstColumn the first position, in steps @param rowStep, columnStep distance between neighbours
/// @return [1, rows · columns, width] float32; width is a multiple of 4
at::Tensor patchPositions(const PatchGrid& grid, std::int64_t firstRow, std::int64_t firstColumn, double rowStep,
    double columnStep, std::int64_t width);

/// A cache of position tables, for the last image shapes, dtypes and devices. Use it on one thread.
class PositionTables {
public:
    /// @param make computes a missing table of rows · columns · width elements, of any dtype and on any device; called again when
    ///        many other shapes came in between
    /// @return [1, rows · columns, width]
    at::Tensor find(const PatchGrid& grid, at::ScalarType dtype, c10::Device device, std::int64_t width,
        const std::function<at::Tensor()>& make);
    void clear() { m_tables.clear(); }

private:
    static constexpr std::size_t kMost = 32;  ///< buckets of images
    struct Table {
        std::int64_t rows = 0, columns = 0;
        at::Tensor values;
    };
    std::vector<Table> m_tables;  ///< the last used one last
};

}  // namespace engine
