#include "app/cli/journal_tail.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace app {

std::int64_t sizeOf(const std::filesystem::path& file)
{
    struct stat info {};
    return ::stat(file.c_str(), &info) == 0 ? info.st_size : 0;
}

JournalTail::JournalTail(std::filesystem::path file, std::int64_t offset)
    : m_file(std::move(file))
    , m_offset(offset)
{
}

bool JournalTail::readMore()
{
    constexpr std::int64_t kMostBytes = 1 << 20;
    const std::int64_t waiting = std::min(sizeOf(m_file) - m_offset, kMostBytes);
    if (waiting <= 0)
        return false;
    const int descriptor = ::open(m_file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    const std::size_t before = m_pending.size();
    m_pending.resize(before + static_cast<std::size_t>(waiting));
    const ssize_t count = ::pread(
        descriptor, m_pending.data() + before, static_cast<std::size_t>(waiting), m_offset);
    ::close(descriptor);
    m_pending.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    m_offset += std::max<ssize_t>(count, 0);
    return count > 0;
}

void JournalTail::poll(const std::function<void(const contract::JournalLine&)>& onLine)
{
    while (readMore()) {
        std::size_t begin = 0;
        for (std::size_t end; (end = m_pending.find('\n', begin)) != std::string::npos; begin = end + 1)
            onLine(m_parser.parse(std::string_view(m_pending).substr(begin, end - begin)));
        m_pending.erase(0, begin);
    }
}

}  // namespace app
