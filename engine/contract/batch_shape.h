// How many samples make a step, and in how many passes.
#pragma once
#include "engine/contract/experiment.h"

#include <cstdint>
#include <optional>

namespace contract {

/// Forward and backward passes whose gradients make one step: batch.accumulation or, where batch.global says how many
/// samples all ranks together take, what that leaves for each of @p dataRanks.
/// @param problem what does not divide, or contradicts; the result is then 1
/// @return ≥ 1
std::int64_t accumulationSteps(const Experiment& experiment, int dataRanks, std::optional<Problem>& problem);

}  // namespace contract
