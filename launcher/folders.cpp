#include "launcher/folders.h"

#include "launcher/sentence.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace launcher {

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

void createPrivateFolder(const std::filesystem::path& folder)
{
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        throw std::runtime_error(cannotBe("created", folder, errno));
    struct stat info {};
    if (::lstat(folder.c_str(), &info) != 0)
        throw std::runtime_error(cannotBe("examined", folder, errno));
    if (!S_ISDIR(info.st_mode) || info.st_uid != ::geteuid())
        throw std::runtime_error(folder.string()
            + " is not a folder of this user, so control sockets in it would not be safe; remove it");
    if ((info.st_mode & 077) != 0 && ::chmod(folder.c_str(), 0700) != 0)
        throw std::runtime_error(cannotBe("made private", folder, errno));
}

}  // namespace launcher
