// What every model asks of its configuration.
#pragma once
#include <cstdint>

namespace engine {

/// @throws EngineError WrongUsage unless @p value ≥ 1 is a multiple of @p divisor ≥ 1
void requireMultiple(const char* what, std::int64_t value, const char* ofWhat, std::int64_t divisor);

}  // namespace engine
