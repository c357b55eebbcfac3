#include "engine/comm/accelerator.h"

#include "engine/comm/errors.h"
#include "engine/comm/loaded_module.h"

#include <dlfcn.h>

#include <string>

namespace engine {

Accelerator& loadAccelerator()
{
    constexpr auto kModule = "libatelier_cuda.so";
    static Accelerator* accelerator = [] {
        void* const module = loadedModule(kModule, Symbols::Global);
        if (!module)
            throw EngineError(EngineError::Kind::Failure,
                "the CUDA module cannot be loaded (" + std::string(::dlerror())
                    + "); set run.device = cpu to train without it");
        const auto make = reinterpret_cast<Accelerator* (*)()>(::dlsym(module, "atelierAccelerator"));
        if (!make)
            throw EngineError(EngineError::Kind::Failure,
                std::string(kModule) + " belongs to another version of Atelier: build it again");
        Accelerator* const made = make();
        cuda::setLauncher(&made->kernels());
        return made;
    }();
    return *accelerator;
}

}  // namespace engine
