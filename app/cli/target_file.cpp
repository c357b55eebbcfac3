#include "app/cli/target_file.h"

#include "app/cli/failure.h"

#include <filesystem>
#include <system_error>

namespace app {

void checkTargetFile(const std::string& file, bool isOverwriting)
{
    std::error_code error;
    const auto type = std::filesystem::symlink_status(file, error).type();
    if (type == std::filesystem::file_type::not_found || (type == std::filesystem::file_type::regular && isOverwriting))
        return;
    if (type == std::filesystem::file_type::regular)
        throw Failure(file + " exists; choose another name, or use --overwrite to replace it");
    if (!error)
        throw Failure(file + " is not a regular file", kWrongUsage);
}

}  // namespace app
