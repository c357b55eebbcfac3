// Copies to memory that will not be read soon.
#pragma once
#include <cstddef>

namespace engine {

/// memcpy() with non-temporal stores: the target's cache lines are not fetched before they are written, and the copy does not
/// evict training's data from the caches. Worthwhile from a few hundred kB on. The result is visible to the calling thread,
/// and to other threads after the usual synchronisation.
void streamedCopy(void* to, const void* from, std::size_t bytes);

}  // namespace engine
