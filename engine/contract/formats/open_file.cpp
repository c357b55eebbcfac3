#include "engine/contract/formats/open_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace contract {
namespace {

/// errno values, with our own text for those whose standard text misleads for an open file.
class OpenErrors : public std::error_category {
public:
    const char* name() const noexcept override { return "open"; }
    std::string message(int cause) const override
    {
        switch (cause) {
        case EISDIR:
            return "is not a regular file but a folder";
        case ENXIO:
            return "is not a regular file but a pipe, a socket or a device";
        case ELOOP:
            return "is a symbolic link, which is not followed here or leads back to itself";
        default:
            return std::generic_category().message(cause);
        }
    }
    std::error_condition default_error_condition(int cause) const noexcept override { return {cause, std::generic_category()}; }
};

}  // namespace

int openRegularFile(const std::filesystem::path& file, int flags, Links links)
{
    const int refused = links == Links::Refuse ? O_NOFOLLOW : 0;
    // O_NONBLOCK has no effect on regular files; opening a pipe without it waits for a process at the other end.
    const int descriptor = ::open(file.c_str(), flags | refused | O_CLOEXEC | O_NONBLOCK, 0600);
    if (descriptor < 0)
        return -1;
    struct stat status {};
    int cause = ::fstat(descriptor, &status) != 0 ? errno : 0;
    if (cause == 0 && !S_ISREG(status.st_mode))
        cause = S_ISDIR(status.st_mode) ? EISDIR : ENXIO;
    if (cause == 0)
        return descriptor;
    ::close(descriptor);
    errno = cause;
    return -1;
}

std::error_code openError(int cause)
{
    static const OpenErrors errors {};
    return {cause, errors};
}

}  // namespace contract
