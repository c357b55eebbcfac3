#include "app/cli/journal_tail.h"

#include "engine/contract/formats/open_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace app {
namespace {

constexpr std::size_t kMostBytes = std::size_t {2} << 20;  // of one read; longer lines are malformed

}  // namespace

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
    const std::int64_t waiting = std::min<std::int64_t>(sizeOf(m_file) - m_offset, kMostBytes);
    if (waiting <= 0)
        return false;
    const int descriptor = contract::openRegularFile(m_file, O_RDONLY, contract::Links::Refuse);
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
        if (m_pending.size() > kMostBytes)
            m_pending.resize(kMostBytes);  // the beginning of what is not a record whatever follows
    }
}

}  // namespace app
