#include "engine/comm/loaded_module.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

namespace engine {

void* loadedModule(const char* name, Symbols symbols)
{
    std::error_code ignored;
    const auto beside = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / name;
    const int flags = RTLD_NOW | (symbols == Symbols::Global ? RTLD_GLOBAL : RTLD_LOCAL);
    return ::dlopen(std::filesystem::exists(beside, ignored) ? beside.c_str() : name, flags);
}

}  // namespace engine
