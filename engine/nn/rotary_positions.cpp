#include "engine/nn/rotary_positions.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/stack.h>

#include <algorithm>

namespace engine {

at::Tensor gridPositions(std::int64_t frames, std::int64_t rows, std::int64_t columns, const GridOrigin& first)
{
    const auto along = [&](std::int64_t begin, std::int64_t count, at::IntArrayRef shape) {
        return at::arange(begin, begin + count, at::kDouble).view(shape).expand({frames, rows, columns}).flatten();
    };
    return at::stack({along(first.frame, frames, {frames, 1, 1}), along(first.row, rows, {1, rows, 1}),
                         along(first.column, columns, {1, 1, columns})}, 1);
}

RotaryTable rotaryTable(const RotaryAxes& axes, const at::Tensor& positions, c10::Device device)
{
    std::vector<at::Tensor> angles;
    for (std::size_t axis = 0; axis < axes.sizes.size(); ++axis) {
        const std::int64_t size = axes.sizes[axis];
        const at::Tensor exponents = at::arange(0, size, 2, axes.precision) / static_cast<double>(size);
        const at::Tensor frequencies = at::pow(axes.theta, exponents).reciprocal();
        const at::Tensor position = positions.select(1, static_cast<std::int64_t>(axis)).to(axes.precision);
        angles.push_back(position.unsqueeze(1) * frequencies);
    }
    const at::Tensor all = at::cat(angles, 1);
    const auto onDevice = [&](const at::Tensor& values) { return values.to(device, at::kFloat); };
    return rotaryTable(onDevice(all.cos()), onDevice(all.sin()));
}

RotaryTable RotaryTables::find(
    const std::vector<std::int64_t>& shape, c10::Device device, const std::function<RotaryTable()>& make)
{
    const auto isMatch = [&](const Entry& entry) { return entry.shape == shape && entry.device == device; };
    if (const auto found = std::ranges::find_if(m_entries, isMatch); found != m_entries.end()) {
        std::rotate(found, found + 1, m_entries.end());
        return m_entries.back().table;
    }
    if (m_entries.size() == kMost)
        m_entries.erase(m_entries.begin());
    m_entries.push_back({shape, device, make()});
    return m_entries.back().table;
}

}  // namespace engine
