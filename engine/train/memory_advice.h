// What someone whose experiment does not fit in memory can do.
#pragma once
#include "engine/contract/experiment.h"

#include <string>

namespace engine {

/// The options that would help and are not set so already, the cheapest first:
/// "engine.recompute = all, batch.micro below 32 or more ranks need less".
std::string memoryAdvice(const contract::Experiment& experiment, int ranks);

}  // namespace engine
