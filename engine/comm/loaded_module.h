// Loads the parts of the worker that are modules of their own, because they need libraries that many machines lack.
#pragma once

namespace engine {

/// Loads the module @p name, which lies beside the program or where the dynamic loader looks, with its symbols hidden from others.
/// Returns nullptr when that fails; dlerror() says why. It is never unloaded.
void* loadedModule(const char* name);

}  // namespace engine
