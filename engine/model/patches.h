// Pictures as rows of patches: embedding, fixed positions, and the way back.
// Dims: B samples, C channels, p pixels along a patch's edge, h × w patches, D width.
#pragma once
#include "engine/model/linear.h"
#include "engine/model/tape.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace engine {

/// How a picture is cut into patches, row by row.
struct PatchGrid {
    std::int64_t patch = 1, rows = 1, columns = 1;

    /// @param latents [B, C, h p, w p]
    /// @throws EngineError WrongUsage for other shapes, saying what is asked for.
    static PatchGrid of(const at::Tensor& latents, std::int64_t channels, std::int64_t patch);

    std::int64_t tokens() const { return rows * columns; }
};

/// [B, C, h p, w p] → [B, h w, C p p] of @p dtype, channels first within a patch
Var patchRows(Tape& tape, Var latents, const PatchGrid& grid, at::ScalarType dtype);

/// [B, C, h p, w p] → [B, count, D], of patches first, first + 1 …
/// @param weights of a convolution [D, C, p, p] whose windows do not overlap
Var embedPatches(Tape& tape, Var latents, const PatchGrid& grid, std::int64_t first, std::int64_t count,
    const LinearWeights& weights);

/// [B, h w, p p C], channels last within a patch → [B, C, h p, w p] float32
Var unpatched(Tape& tape, Var tokens, const PatchGrid& grid);

/// Sines and cosines of a patch's place, as diffusers' PatchEmbed has them: the first half of a row is of its column, the
/// second of its row, each [sin(p f), cos(p f)] with f_k = 10000^(-k / (D / 4)).
/// @param step between neighbours' positions @param first of the rows and columns, in steps
/// @return [1, rows · columns, width] float32; width is a multiple of 4
at::Tensor patchPositions(const PatchGrid& grid, std::int64_t firstRow, std::int64_t firstColumn, double rowStep,
    double columnStep, std::int64_t width);

/// Tables of positions, each made once: for one shape of pictures, dtype and device. One thread.
class PositionTables {
public:
    /// @param make what is not there yet: [1, rows, columns, width] or so, of any dtype, on any device
    /// @return [1, rows · columns, width]
    at::Tensor find(const PatchGrid& grid, at::ScalarType dtype, c10::Device device, std::int64_t width,
        const std::function<at::Tensor()>& make);
    void clear() { m_tables.clear(); }

private:
    struct Table {
        std::int64_t rows = 0, columns = 0;
        at::Tensor values;
    };
    std::vector<Table> m_tables;
};

}  // namespace engine
