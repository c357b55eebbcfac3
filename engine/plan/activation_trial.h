// Measures the memory that the values of a training pass take, by such a pass on this process's CPU.
#pragma once
#include "engine/plan/planned_model.h"

#include <cstdint>
#include <optional>

namespace engine {

/// Bytes of activations and their gradients in a pass of batch.micro samples on one rank. A pass that would take long, or much of the memory
/// that is free, is made with fewer samples, twice, and the rest extrapolated: these bytes are linear in the samples.
/// @return nullopt when they are not known before a run: PlannedModel::input() has none, ranks share a sequence, or already a pass of
///         a few samples would take long or much memory.
std::optional<std::int64_t> activationBytes(const contract::Experiment& experiment, const PlannedModel& planned);

}  // namespace engine
