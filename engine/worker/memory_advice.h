// Advice for an experiment that does not fit in memory.
#pragma once
#include "engine/contract/experiment/experiment.h"

#include <string>

namespace engine {

/// Lists the options that would reduce memory use and are not set yet, the cheapest first:
/// "engine.recompute_layers = true, engine.recompute = all, batch.micro below 32 or more ranks need less".
std::string memoryAdvice(const contract::Experiment& experiment, int ranks);

}  // namespace engine
