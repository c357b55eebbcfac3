// Angles of rotary embeddings for tokens with positions along several axes: frame, row, column.
#pragma once
#include "engine/kernels/head_kernels.h"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace engine {

/// Which elements of a head rotate with which axis. Pair j of an axis with d elements rotates by position · theta^(-2j / d).
struct RotaryAxes {
    std::vector<std::int64_t> sizes;             ///< elements of a head for each axis, even
    at::ScalarType precision = at::kDouble;      ///< dtype in which angles are computed, as in the original model
    double theta = 10000;
};

/// The position of a grid's first token.
struct GridOrigin {
    std::int64_t frame = 0, row = 0, column = 0;
};

/// Positions of a grid's tokens, starting at @p first; the column index varies fastest.
/// @return [frames · rows · columns, 3] float64: frame, row, column
at::Tensor gridPositions(std::int64_t frames, std::int64_t rows, std::int64_t columns, const GridOrigin& first = {});

/// @param positions [N, axes] float64, on the CPU
RotaryTable rotaryTable(const RotaryAxes& axes, const at::Tensor& positions, c10::Device device);

/// Keeps rotary tables on their device by the shape that they are for, since making one on the host and uploading it takes longer
/// than a small block. One thread.
class RotaryTables {
public:
    /// Returns the table for @p shape, made by @p make at the first call, and again when many other shapes came in between.
    /// @param shape whatever the positions depend on: grids, prompt length
    RotaryTable find(const std::vector<std::int64_t>& shape, c10::Device device, const std::function<RotaryTable()>& make);

private:
    static constexpr std::size_t kMost = 32;  ///< buckets of images, times lengths of prompts
    struct Entry {
        std::vector<std::int64_t> shape;
        c10::Device device;
        RotaryTable table;
    };
    std::vector<Entry> m_entries;  ///< the last used one last
};

}  // namespace engine
