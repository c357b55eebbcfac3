// Copies to memory that nobody reads soon.
#pragma once
#include <cstddef>

namespace engine {

/// memcpy() past the processor's caches: what is written is not read first, and the caches keep what training needs.
/// Worth it from some hundred kB on. The calling thread sees what it wrote, and so does who synchronises with it.
void streamedCopy(void* to, const void* from, std::size_t bytes);

}  // namespace engine
