// Selects the values of one timestep from a batch whose fields have one column per timestep.
#pragma once
#include "engine/algorithm/rollout_batch.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace engine {

/// Returns column @p timestep of fields [b, T, …] as views [b, …].
/// @param optional fields that may be missing
/// @throws std::out_of_range naming a required field that is missing, or one with too few columns.
std::map<std::string, at::Tensor> atTimestep(const RolloutBatch& batch, std::int64_t timestep,
    const std::vector<std::string>& required, const std::vector<std::string>& optional);

/// Turns [b, 1, …], as forwardOnly() returns it for a single timestep, into [b, …]. Returns other shapes unchanged.
at::Tensor squeezeTimestep(const at::Tensor& values);

/// Returns T of a field [b, T, …].
/// @throws std::out_of_range when it is missing, std::invalid_argument when it has fewer than two dimensions.
std::int64_t timestepsOf(const RolloutBatch& batch, const std::string& name);

}  // namespace engine
