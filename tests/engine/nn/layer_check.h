// Compares the outputs and gradients of layers with ATen's autograd in float64.
#pragma once
#include "engine/autograd/tape.h"
#include "engine/shard/unit_sequence.h"

#include <QString>

#include <functional>
#include <map>
#include <vector>

namespace tests {

using Tensors = std::vector<at::Tensor>;

/// Layers, and the textbook formula that they must agree with, in ATen operators.
struct LayerCase {
    std::vector<engine::ParameterSpec> parameters;
    std::vector<std::vector<std::int64_t>> inputs;  ///< shapes
    std::function<std::vector<engine::Var>(engine::Tape&, engine::Unit&, const std::vector<engine::Var>& inputs)> layers;
    std::function<Tensors(const Tensors& parameters, const Tensors& inputs)> textbook;
};

using LayerCases = std::map<QString, LayerCase>;  ///< by name

/// Data rows of every case in float32 and in bfloat16.
void addLayerRows(const LayerCases& cases);

/// Checks the row's case on random inputs; the loss is the sum of all outputs times random numbers. Checks it again with every
/// output computed twice from the same inputs and added. Fails at the first output or gradient beyond the dtype's rounding.
void checkLayerRow(const LayerCases& cases);

}  // namespace tests
