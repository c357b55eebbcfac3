// Locates Atelier's own programs and resources.
#include "launcher/base/data_home.h"
#include "launcher/runs/launch.h"

#include <cstdlib>
#include <system_error>

namespace launcher {
namespace {

namespace fs = std::filesystem;

fs::path programFolder()
{
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).parent_path();
}

}  // namespace

std::string programPath(const std::string& name)
{
    const char* chosen = nullptr;
    if (name == "atelier-worker")
        chosen = std::getenv("ATELIER_WORKER");
    else if (name == "atelier")
        chosen = std::getenv("ATELIER_PROGRAM");
    if (chosen && *chosen)
        return fs::absolute(chosen).string();
    const fs::path sameFolder = programFolder() / name;
    std::error_code error;
    // Programs in the tests/ and tools/ folders of a build use those in its bin/ folder.
    const fs::path inBin = programFolder().parent_path() / "bin" / name;
    return (!fs::exists(sameFolder, error) && fs::exists(inBin, error) ? inBin : sameFolder).string();
}

fs::path resourcesFolder()
{
    if (const char* chosen = std::getenv("ATELIER_RESOURCES"); chosen && *chosen)
        return fs::absolute(chosen);
    std::error_code error;
    const fs::path installed = programFolder().parent_path() / "share" / "atelier";
    if (fs::is_directory(installed, error))
        return installed;
    return ATELIER_RESOURCES_IN_SOURCE;
}

}  // namespace launcher
