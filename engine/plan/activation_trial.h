// Measures the memory that the values of a training pass take, by such a pass on this process's CPU.
#pragma once
#include "engine/plan/planned_model.h"

#include <cstdint>
#include <optional>

namespace engine {

/// In bytes, of a pass on one rank.
struct Activations {
    std::int64_t peak = 0;     ///< with their gradients
    std::int64_t retired = 0;  ///< of what the blocks compute: where gradients of parameters can take its place
};

/// Measures a pass of batch.micro samples. A pass that would take long, or much of the memory that is free, is made with fewer samples,
/// twice, and the rest extrapolated: these bytes are linear in the samples.
/// @return nullopt when they are not known before a run: PlannedModel::input() has none, ranks share a sequence, or already a pass of
///         a few samples would take long or much memory.
std::optional<Activations> activationsOf(const contract::Experiment& experiment, const PlannedModel& planned);

}  // namespace engine
