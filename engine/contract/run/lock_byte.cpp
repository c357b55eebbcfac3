#include "engine/contract/run/lock_byte.h"

#include "engine/contract/formats/open_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

namespace contract {
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

/// Returns F_WRLCK when a process holds the lock, F_RDLCK when a finished waitForByte() is about to release its shared lock,
/// else F_UNLCK.
short holder(int descriptor, LockByte byte)
{
    struct flock range = rangeOf(byte, F_WRLCK);
    return ::fcntl(descriptor, F_OFD_GETLK, &range) == 0 ? range.l_type : static_cast<short>(F_UNLCK);
}

}  // namespace

int takeByte(const std::filesystem::path& file, LockByte byte, int& descriptor)
{
    const int opened = openRegularFile(file, O_RDWR | O_CREAT, Links::Refuse);
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

int awaitByte(const std::filesystem::path& file, LockByte byte, int& descriptor)
{
    const int opened = openRegularFile(file, O_RDWR | O_CREAT, Links::Refuse);
    if (opened < 0)
        return errno;
    struct flock range = rangeOf(byte, F_WRLCK);
    while (::fcntl(opened, F_OFD_SETLKW, &range) != 0) {
        if (errno == EINTR)
            continue;
        const int cause = errno;
        ::close(opened);
        return cause;
    }
    descriptor = opened;
    return 0;
}

bool isByteTaken(const std::filesystem::path& file, LockByte byte)
{
    const int descriptor = openRegularFile(file, O_RDONLY, Links::Refuse);
    if (descriptor < 0)
        return false;
    const short type = holder(descriptor, byte);
    ::close(descriptor);
    return type == F_WRLCK;
}

void waitForByte(const std::filesystem::path& file, LockByte byte)
{
    const int descriptor = openRegularFile(file, O_RDONLY, Links::Refuse);
    if (descriptor < 0)
        return;
    struct flock range = rangeOf(byte, F_RDLCK);
    while (::fcntl(descriptor, F_OFD_SETLKW, &range) != 0 && errno == EINTR) { }
    ::close(descriptor);
}

}  // namespace contract
