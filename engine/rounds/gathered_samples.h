// Gathers samples that different ranks have drawn.
#pragma once
#include "engine/comm/group.h"
#include "engine/rounds/rollout.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace engine {

/// Returns the clean samples of these rows of the round, in their order: [rows, C, H, W] float32 on the device, the same on all data
/// ranks. Collective. @param drawn this rank's rows, at least one; each row of the round lies on one data rank
at::Tensor gatheredSamples(const std::vector<DrawnRows>& drawn, const std::vector<std::int64_t>& rows, Group& dataRanks);

}  // namespace engine
