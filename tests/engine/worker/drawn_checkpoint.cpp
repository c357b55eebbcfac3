#include "tests/engine/worker/drawn_checkpoint.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include "engine/models/registry.h"
#include "engine/shard/random.h"
#include "tests/engine/contract/formats/small_safetensors.h"

#include <cmath>

namespace tests {
namespace {

constexpr double kGate = 0.5, kBiasStd = 0.1, kTableStd = 0.5;

at::Tensor draw(const engine::ParameterSpec& spec)
{
    at::Tensor value = at::empty(spec.shape, at::kFloat);
    engine::fillNormal({value.data_ptr<float>(), static_cast<std::size_t>(value.numel())},
        {.seed = 20261122, .purpose = "a test's " + spec.name});
    if (spec.name.ends_with("ada.bias"))
        return value.mul_(kBiasStd).add_(kGate);
    if (spec.name.ends_with(".bias"))
        return value.mul_(kBiasStd);
    return value.mul_(spec.isLinear ? 1 / std::sqrt(static_cast<double>(spec.shape[1])) : kTableStd);
}

}  // namespace

DrawnCheckpoint::DrawnCheckpoint(const contract::Experiment& experiment)
{
    Tensors tensors;
    for (const engine::UnitSpec& unit : engine::buildModel(experiment, {})->units()) {
        for (const engine::ParameterSpec& spec : unit.parameters) {
            const at::Tensor value = m_weights[spec.name] = draw(spec);
            const float* const first = value.data_ptr<float>();
            tensors.push_back({{spec.name, "F32", spec.shape}, {first, first + value.numel()}});
        }
    }
    writeCheckpoint(path(), tensors, {});
}

}  // namespace tests
