// The sum over ranks of gradients, of which each rank's part is in memory of this process.
#pragma once
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <vector>

namespace engine {

/// out = (or +=) Σ of elements first, first + 1 … of the sources, in float32 and in the order of @p sources.
/// @param dtype of the sources: float32, bfloat16 or float16
void addUp(const std::vector<const void*>& sources, c10::ScalarType dtype, std::int64_t first, float* out,
    std::int64_t count, bool adds);

}  // namespace engine
