#include "engine/contract/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace contract {

InputFile::InputFile(std::filesystem::path path)
    : m_path(std::move(path))
    , m_descriptor(::open(m_path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))
{
    if (m_descriptor < 0)
        throw std::system_error(errno, std::generic_category(), m_path.string());
    struct stat status {};
    if (::fstat(m_descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        ::close(m_descriptor);
        throw std::runtime_error(m_path.string() + ": is no regular file");
    }
    m_bytes = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() { ::close(m_descriptor); }

void InputFile::read(void* into, std::uint64_t bytes, std::uint64_t offset) const
{
    constexpr std::uint64_t kMost = std::uint64_t {1} << 30;  // the system reads no more than 2 GB at once
    auto* cursor = static_cast<std::byte*>(into);
    while (bytes > 0) {
        const ssize_t count = ::pread(m_descriptor, cursor, std::min(bytes, kMost), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            throw std::system_error(errno, std::generic_category(), m_path.string());
        if (count == 0)
            throw std::runtime_error(m_path.string() + " ends early");
        cursor += count;
        offset += static_cast<std::uint64_t>(count);
        bytes -= static_cast<std::uint64_t>(count);
    }
}

}  // namespace contract
