#include "engine/contract/formats/input_file.h"

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

InputFile::InputFile(std::filesystem::path path, Links links)
    : m_path(std::move(path))
    , m_descriptor(openRegularFile(m_path, O_RDONLY, links))
{
    if (m_descriptor < 0)
        throw std::system_error(openError(errno), m_path.string());
    struct stat status {};
    ::fstat(m_descriptor, &status);
    m_bytes = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() { ::close(m_descriptor); }

void InputFile::read(void* into, std::uint64_t bytes, std::uint64_t offset) const
{
    constexpr std::uint64_t kMaxBytesPerRead = std::uint64_t {1} << 30;  // one pread() returns at most 2 GB
    auto* cursor = static_cast<std::byte*>(into);
    while (bytes > 0) {
        const ssize_t count = ::pread(m_descriptor, cursor, std::min(bytes, kMaxBytesPerRead), static_cast<off_t>(offset));
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
