// Compares what layers compute, forward and back, with ATen's autograd in float64.
#pragma once
#include "engine/model/tape.h"
#include "engine/shard/unit_sequence.h"

#include <functional>
#include <string>
#include <vector>

namespace tests {

using Tensors = std::vector<at::Tensor>;

/// Layers, and the same in the textbook's words.
struct LayerCase {
    std::vector<engine::ParameterSpec> parameters;
    std::vector<std::vector<std::int64_t>> inputs;  ///< shapes
    std::function<std::vector<engine::Var>(engine::Tape&, engine::Unit&, const std::vector<engine::Var>& inputs)> layers;
    std::function<Tensors(const Tensors& parameters, const Tensors& inputs)> textbook;
};

/// Runs the case on random numbers of @p dtype, with the sum of all outputs times random numbers as loss; then with every
/// output computed twice from the same inputs and added up.
/// @return empty, or the first output or gradient that is off by more than the dtype's rounding, and by how much.
std::string differenceFromTextbook(const LayerCase& layerCase, at::ScalarType dtype);

}  // namespace tests
