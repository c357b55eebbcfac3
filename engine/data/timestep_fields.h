// What the loss of one timestep takes from a batch whose fields have a column for each.
#pragma once
#include "engine/data/rollout_batch.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace engine {

/// Column @p timestep of fields [b, T, …]: [b, …] each, views.
/// @param optional fields that may be missing
/// @throws std::out_of_range naming a required field that is missing, or one with too few columns.
std::map<std::string, at::Tensor> atTimestep(const RolloutBatch& batch, std::int64_t timestep,
    const std::vector<std::string>& required, const std::vector<std::string>& optional);

/// [b, 1, …] → [b, …]: what forwardOnly() collected at one timestep. Others come back as they are.
at::Tensor withoutTimestep(const at::Tensor& values);

/// T of a field [b, T, …]. @throws std::out_of_range where it is missing, std::invalid_argument where it has no columns.
std::int64_t timestepsOf(const RolloutBatch& batch, const std::string& name);

}  // namespace engine
