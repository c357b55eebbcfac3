#include "engine/contract/run/user_folders.h"

#include <cstdlib>

namespace contract {

namespace fs = std::filesystem;

fs::path pathInEnvironment(const char* name)
{
    const char* value = std::getenv(name);
    return value ? fs::path(value) : fs::path();
}

fs::path xdgFolder(const char* variable, const fs::path& otherwise)
{
    const fs::path base = pathInEnvironment(variable);
    const fs::path home = pathInEnvironment("HOME");
    return (base.is_absolute() ? base : (home.empty() ? fs::path("/") : home) / otherwise) / "atelier";
}

fs::path configFolder()
{
    const fs::path home = pathInEnvironment("ATELIER_HOME");
    return home.empty() ? xdgFolder("XDG_CONFIG_HOME", ".config") : fs::absolute(home).lexically_normal() / "config";
}

}  // namespace contract
