// Corrects a round by log-probabilities that are recomputed before its updates. Rows.
#pragma once
#include "engine/comm/group.h"
#include "engine/contract/experiment/correction_spec.h"
#include "engine/rounds/experience.h"

#include <c10/core/Device.h>

#include <cstdint>
#include <vector>

namespace engine {

/// Compares "old_log_probs" of all ranks' rows with "rollout_log_probs", which the sampler recorded, and replaces the latter by
/// "rollout_is_weights", or a factor of those there are, where @p spec asks for weights or rejection. Collective.
/// @param micros this rank's; both fields are [b, T]
/// @param rows of the round, on all ranks
/// @return rollout_corr/ metrics, the same on all ranks
NamedNumbers correctRound(std::vector<TrainedRows>& micros, const contract::CorrectionSpec& spec, std::int64_t rows, Group& dataRanks,
    c10::Device device);

}  // namespace engine
