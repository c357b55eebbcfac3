// A statvfs() for LD_PRELOAD: every file system has FAKE_FREE_BYTES bytes free.
#include <dlfcn.h>
#include <sys/statvfs.h>

#include <cstdlib>

extern "C" int statvfs(const char* path, struct statvfs* result)
{
    using Function = int (*)(const char*, struct statvfs*);
    static const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "statvfs"));
    const int code = real(path, result);
    if (const char* const free = std::getenv("FAKE_FREE_BYTES"); free && code == 0)
        result->f_bavail = result->f_bfree = std::strtoull(free, nullptr, 10) / result->f_frsize;
    return code;
}
