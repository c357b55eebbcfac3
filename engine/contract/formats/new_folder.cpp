#include "engine/contract/formats/new_folder.h"

#include "engine/contract/formats/sentence.h"

#include <sys/stat.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace contract {

void createFolder(const std::filesystem::path& folder)
{
    std::error_code ignored;
    if (std::filesystem::is_directory(folder, ignored))
        return;
    const std::filesystem::path parent = folder.parent_path();
    if (!parent.empty() && parent != folder)
        createFolder(parent);
    const int cause = folder.has_filename() && ::mkdir(folder.c_str(), 0700) != 0 ? errno : 0;
    if (cause != 0 && !std::filesystem::is_directory(folder, ignored))  // another process may have created it meanwhile
        throw std::runtime_error(cannotBe("created", folder, cause == EEXIST ? ENOTDIR : cause));
}

}  // namespace contract
