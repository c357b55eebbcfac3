#include "engine/comm/accelerator.h"

#include "engine/comm/errors.h"

#include <dlfcn.h>

#include <filesystem>

namespace engine {
namespace {

std::string modulePath()
{
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    return (program.parent_path() / "libatelier_cuda.so").string();
}

}  // namespace

Accelerator& loadAccelerator()
{
    static Accelerator* accelerator = [] {
        void* module = ::dlopen(modulePath().c_str(), RTLD_NOW | RTLD_GLOBAL);
        if (!module)
            throw EngineError(EngineError::Kind::Failure,
                "the CUDA module cannot be loaded (" + std::string(::dlerror())
                    + "); set run.device = cpu to train without it");
        const auto make = reinterpret_cast<Accelerator* (*)()>(::dlsym(module, "atelierAccelerator"));
        if (!make)
            throw EngineError(EngineError::Kind::Failure,
                modulePath() + " belongs to another version of Atelier: build it again");
        return make();
    }();
    return *accelerator;
}

}  // namespace engine
