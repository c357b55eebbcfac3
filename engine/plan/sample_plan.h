// How much disk the samples of a run take.
#pragma once
#include "engine/plan/planned_model.h"

#include <cstdint>

namespace engine {

/// Bytes of the images that a run of all its steps writes, at most: those whose pixels cannot be compressed. Images that somebody asks for
/// meanwhile are not among them.
std::int64_t sampleBytes(const contract::Experiment& experiment, const PlannedModel& planned);

}  // namespace engine
