// The number of forward and backward passes per optimizer step.
#pragma once
#include "engine/contract/experiment/experiment.h"

#include <cstdint>
#include <optional>

namespace contract {

/// Forward and backward passes per optimizer step: batch.accumulation or, when batch.global is set, the number of passes
/// with which @p dataRanks data-parallel ranks reach that many samples.
/// @param problem set when batch.global does not divide evenly or contradicts batch.accumulation; the result is then 1
/// @return ≥ 1
std::int64_t accumulationSteps(const Experiment& experiment, int dataRanks, std::optional<Problem>& problem);

}  // namespace contract
