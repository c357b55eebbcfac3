// Loads the parts of the worker that are modules of their own, because they need libraries that many machines lack.
#pragma once

namespace engine {

enum class Symbols { Hidden, Global };  ///< from or to the libraries that are loaded later

/// Loads the module @p name, which lies beside the program or, if it does not, where the dynamic loader looks.
/// Returns nullptr when that fails; dlerror() says why. It is never unloaded.
void* loadedModule(const char* name, Symbols symbols = Symbols::Hidden);

}  // namespace engine
