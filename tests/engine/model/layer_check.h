// Compares what layers compute, forward and back, with ATen's autograd in float64.
#pragma once
#include "engine/model/tape.h"
#include "engine/shard/unit_sequence.h"

#include <QString>

#include <functional>
#include <map>
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

using LayerCases = std::map<QString, LayerCase>;  ///< by name

/// Data rows of every case in float32 and in bfloat16.
void addLayerRows(const LayerCases& cases);

/// The row's case on random numbers, with the sum of all outputs times random numbers as loss; then with every output computed
/// twice from the same inputs and added up. Fails for the first output or gradient that is off by more than the dtype's rounding.
void checkLayerRow(const LayerCases& cases);

}  // namespace tests
