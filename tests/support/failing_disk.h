// A disk that cannot be read any more: include in one source of a test program.
#pragma once
#include <dirent.h>
#include <dlfcn.h>

#include <cerrno>

namespace tests {

/// How many more entries of folders can be read, over all folders; -1: all.
inline int readableEntries = -1;

}  // namespace tests

/// In place of the C library's: fails as that does on an input/output error.
extern "C" dirent* readdir(DIR* folder)
{
    static const auto real = reinterpret_cast<dirent* (*)(DIR*)>(::dlsym(RTLD_NEXT, "readdir"));
    if (tests::readableEntries == 0) {
        errno = EIO;
        return nullptr;
    }
    tests::readableEntries -= tests::readableEntries > 0 ? 1 : 0;
    return real(folder);
}
