#include "engine/comm/loaded_module.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

namespace engine {

void* loadedModule(const char* name)
{
    std::error_code ignored;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
    if (void* const module = ::dlopen((program.parent_path() / name).c_str(), RTLD_NOW | RTLD_LOCAL))
        return module;
    return ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

}  // namespace engine
