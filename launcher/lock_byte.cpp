#include "launcher/lock_byte.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

namespace launcher {
namespace {

struct flock rangeOf(LockByte byte, short type)
{
    struct flock range {};
    range.l_type = type;
    range.l_whence = SEEK_SET;
    range.l_start = static_cast<off_t>(byte);
    range.l_len = 1;
    return range;
}

/// F_WRLCK when it is taken, F_RDLCK when somebody has just waited for it and lets go at once, F_UNLCK else.
short holder(int descriptor, LockByte byte)
{
    struct flock range = rangeOf(byte, F_WRLCK);
    return ::fcntl(descriptor, F_OFD_GETLK, &range) == 0 ? range.l_type : static_cast<short>(F_UNLCK);
}

}  // namespace

int takeByte(const std::filesystem::path& file, LockByte byte, int& descriptor)
{
    const int opened = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (opened < 0)
        return errno;
    struct flock range = rangeOf(byte, F_WRLCK);
    while (::fcntl(opened, F_OFD_SETLK, &range) != 0) {
        const int cause = errno;
        const bool isTaken = cause == EAGAIN || cause == EACCES;
        if (isTaken && holder(opened, byte) != F_WRLCK) {
            std::this_thread::yield();
            continue;
        }
        ::close(opened);
        return isTaken ? EAGAIN : cause;
    }
    descriptor = opened;
    return 0;
}

bool isByteTaken(const std::filesystem::path& file, LockByte byte)
{
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    const short type = holder(descriptor, byte);
    ::close(descriptor);
    return type == F_WRLCK;
}

void waitForByte(const std::filesystem::path& file, LockByte byte)
{
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    struct flock range = rangeOf(byte, F_RDLCK);
    while (::fcntl(descriptor, F_OFD_SETLKW, &range) != 0 && errno == EINTR) { }
    ::close(descriptor);
}

}  // namespace launcher
