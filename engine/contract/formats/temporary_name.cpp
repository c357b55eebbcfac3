#include "engine/contract/formats/temporary_name.h"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

namespace contract {

std::filesystem::path temporaryName(const std::filesystem::path& file)
{
    std::random_device random;
    const std::uint64_t bits = (std::uint64_t {random()} << 32) | random();
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(bits));
    return file.string() + ".tmp" + std::to_string(::getpid()) + "-" + digits;
}

int publishFile(const std::filesystem::path& temporary, const std::filesystem::path& file, Existing existing)
{
    if (existing == Existing::Refuse) {
        // A link fails where a file of that name exists, which a rename would replace.
        if (::link(temporary.c_str(), file.c_str()) == 0)
            return ::unlink(temporary.c_str()) == 0 ? 0 : errno;
        const int cause = errno;
        const bool hasLinks = cause != EPERM && cause != EOPNOTSUPP && cause != ENOSYS;  // not every file system has
        if (hasLinks)
            return cause;
        if (::access(file.c_str(), F_OK) == 0)
            return EEXIST;
    }
    return ::rename(temporary.c_str(), file.c_str()) == 0 ? 0 : errno;
}

}  // namespace contract
