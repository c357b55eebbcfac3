#include "launcher/base/folders.h"

#include "engine/contract/formats/sentence.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

namespace launcher {

void createPrivateFolder(const std::filesystem::path& folder)
{
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        throw std::runtime_error(contract::cannotBe("created", folder, errno));
    struct stat info {};
    if (::lstat(folder.c_str(), &info) != 0)
        throw std::runtime_error(contract::cannotBe("examined", folder, errno));
    if (!S_ISDIR(info.st_mode) || info.st_uid != ::geteuid())
        throw std::runtime_error(folder.string()
            + " is not a folder of this user, so control sockets in it would not be safe; remove it");
    if ((info.st_mode & 077) != 0 && ::chmod(folder.c_str(), 0700) != 0)
        throw std::runtime_error(contract::cannotBe("made private", folder, errno));
}

}  // namespace launcher
