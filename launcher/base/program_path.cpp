// Locates Atelier's own programs and resources.
#include "launcher/base/program_path.h"

#include "launcher/base/data_home.h"

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
    // Programs in the tests/ and tools/ folders of a build use those in its bin/ folder. Of an installation, what no user starts is in lib/.
    const fs::path above = programFolder().parent_path();
    for (const fs::path& file : {sameFolder, above / "bin" / name, above / "lib" / "atelier" / name}) {
        if (fs::exists(file, error))
            return file.string();
    }
    return sameFolder.string();
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
