#include "engine/nn/patches.h"

#include "engine/comm/errors.h"
#include "engine/nn/layers.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace engine {

PatchGrid PatchGrid::of(const at::Tensor& latents, std::int64_t channels, std::int64_t patch)
{
    const bool fits = latents.dim() == 4 && latents.size(1) == channels && latents.size(2) > 0 && latents.size(3) > 0
        && latents.size(2) % patch == 0 && latents.size(3) % patch == 0;
    if (!fits) {
        std::ostringstream text;
        text << "latents of shape " << latents.sizes() << ": the model takes [B, " << channels
             << ", height, width], both multiples of " << patch;
        throw EngineError(EngineError::Kind::WrongUsage, text.str());
    }
    return {patch, latents.size(2) / patch, latents.size(3) / patch};
}

Var patchRows(Tape& tape, Var latents, const PatchGrid& grid, at::ScalarType dtype)
{
    const std::int64_t batch = latents->data.size(0), channels = latents->data.size(1), patch = grid.patch;
    return permuted(tape, latents, {batch, channels, grid.rows, patch, grid.columns, patch}, {0, 2, 4, 1, 3, 5},
        {batch, grid.tokens(), channels * patch * patch}, dtype);
}

Var embedPatches(Tape& tape, Var latents, const PatchGrid& grid, std::int64_t first, std::int64_t count,
    const LinearWeights& weights)
{
    const Var rows = patchRows(tape, latents, grid, weights.weight->value.scalar_type());
    return linear(tape, count < grid.tokens() ? narrowed(tape, rows, 1, first, count) : rows, weights);
}

Var unpatched(Tape& tape, Var tokens, const PatchGrid& grid)
{
    const std::int64_t batch = tokens->data.size(0), patch = grid.patch;
    const std::int64_t channels = tokens->data.size(2) / (patch * patch);
    return permuted(tape, tokens, {batch, grid.rows, grid.columns, patch, patch, channels}, {0, 5, 1, 3, 2, 4},
        {batch, channels, grid.rows * patch, grid.columns * patch}, at::kFloat);
}

at::Tensor patchPositions(const PatchGrid& grid, std::int64_t firstRow, std::int64_t firstColumn, double rowStep,
    double columnStep, std::int64_t width)
{
    const at::Tensor table = at::empty({1, grid.tokens(), width}, at::kFloat);
    auto* out = table.data_ptr<float>();
    const std::int64_t quarter = width / 4;
    const auto write = [&](double position) {
        for (std::int64_t k = 0; k < quarter; ++k, ++out) {
            const double angle = position * std::pow(10000.0, -static_cast<double>(k) / static_cast<double>(quarter));
            out[0] = static_cast<float>(std::sin(angle));
            out[quarter] = static_cast<float>(std::cos(angle));
        }
        out += quarter;
    };
    for (std::int64_t row = 0; row < grid.rows; ++row) {
        for (std::int64_t column = 0; column < grid.columns; ++column) {
            write(static_cast<double>(firstColumn + column) * columnStep);
            write(static_cast<double>(firstRow + row) * rowStep);
        }
    }
    return table;
}

at::Tensor PositionTables::find(const PatchGrid& grid, at::ScalarType dtype, c10::Device device, std::int64_t width,
    const std::function<at::Tensor()>& make)
{
    const auto isMatch = [&](const Table& table) {
        return table.rows == grid.rows && table.columns == grid.columns && table.values.scalar_type() == dtype
            && table.values.device() == device;
    };
    if (const auto found = std::ranges::find_if(m_tables, isMatch); found != m_tables.end()) {
        std::rotate(found, found + 1, m_tables.end());
        return m_tables.back().values;
    }
    if (m_tables.size() == kMost)
        m_tables.erase(m_tables.begin());
    m_tables.push_back({grid.rows, grid.columns, make().to(device, dtype).reshape({1, grid.tokens(), width})});
    return m_tables.back().values;
}

}  // namespace engine
