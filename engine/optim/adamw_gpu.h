// The AdamW update on GPUs by our own kernel, in one pass over memory.
#pragma once
#include "engine/optim/adamw_kernel.h"

namespace engine {

/// As updateAdamW(), of memory of the current GPU and on its current stream. Returns false, and does nothing, where there is no kernel.
bool updateAdamWOnGpu(const AdamWRange& range, std::int64_t count, const AdamWCoefficients& c);

}  // namespace engine
