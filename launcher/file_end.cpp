#include "launcher/base/file_end.h"

#include "engine/contract/formats/open_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace launcher {

FileEnd readFileEnd(const std::filesystem::path& file, std::int64_t beginning, std::int64_t mostBytes)
{
    FileEnd end;
    const int descriptor = contract::openRegularFile(file, O_RDONLY, contract::Links::Refuse);
    if (descriptor < 0)
        return end;
    struct stat info {};
    if (::fstat(descriptor, &info) == 0) {
        end.size = info.st_size;
        end.writtenUnixMs = std::int64_t {info.st_mtim.tv_sec} * 1000 + info.st_mtim.tv_nsec / 1'000'000;
        const std::int64_t from = std::max(std::max<std::int64_t>(beginning, 0), end.size - mostBytes);
        end.isWhole = from <= std::max<std::int64_t>(beginning, 0);
        end.text.resize(static_cast<std::size_t>(std::max<std::int64_t>(end.size - from, 0)));
        const ssize_t count = ::pread(descriptor, end.text.data(), end.text.size(), from);
        end.text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    }
    ::close(descriptor);
    return end;
}

std::string readFilePart(const std::filesystem::path& file, std::int64_t beginning, std::int64_t mostBytes)
{
    std::string text;
    const int descriptor = contract::openRegularFile(file, O_RDONLY, contract::Links::Refuse);
    if (descriptor < 0)
        return text;
    text.resize(static_cast<std::size_t>(mostBytes));
    const ssize_t count = ::pread(descriptor, text.data(), text.size(), std::max<std::int64_t>(beginning, 0));
    ::close(descriptor);
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
}

std::int64_t nowUnixMs()
{
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace launcher
