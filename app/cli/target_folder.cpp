#include "app/cli/target_folder.h"

#include "app/cli/failure.h"

namespace app {

void checkTargetFolder(const std::filesystem::path& folder, bool isOverwriting)
{
    std::error_code error;
    if (!isOverwriting && std::filesystem::is_directory(folder, error) && !std::filesystem::is_empty(folder, error) && !error)
        throw Failure(folder.string() + " exists and is not empty; choose a new folder, or use --overwrite to write to it");
}

}  // namespace app
