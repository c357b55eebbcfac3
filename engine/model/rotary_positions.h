// Angles of rotary embeddings for tokens with a place along several axes: frame, row, column.
#pragma once
#include "engine/model/head_kernels.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace engine {

/// Which elements of a head turn with which axis. Pair j of an axis with d elements turns by position · theta^(-2j / d).
struct RotaryAxes {
    std::vector<std::int64_t> sizes;             ///< elements of a head for each axis, even
    at::ScalarType precision = at::kDouble;      ///< in which angles are computed, as the model's authors did
    double theta = 10000;
};

/// Places of a grid's tokens, columns fastest. @return [frames · rows · columns, 3] float64, counted from @p first
struct GridOrigin {
    std::int64_t frame = 0, row = 0, column = 0;
};
at::Tensor gridPositions(std::int64_t frames, std::int64_t rows, std::int64_t columns, const GridOrigin& first = {});

/// @param positions [N, axes] float64, on the CPU
RotaryTable rotaryTable(const RotaryAxes& axes, const at::Tensor& positions, c10::Device device);

}  // namespace engine
