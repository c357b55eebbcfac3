#include "ui/logs/log_file_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <utility>

namespace ui {
namespace {

constexpr std::size_t kPieceBytes = 1 << 20;
// A "line" longer than this is cut: binary data that got into a log.
constexpr std::size_t kLongestLine = 1 << 20;

}  // namespace

LogFileReader::LogFileReader(std::string path)
    : m_path(std::move(path))
    , m_descriptor(::open(m_path.c_str(), O_RDONLY | O_CLOEXEC))
{
}

LogFileReader::~LogFileReader()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

LogFileReader::LogFileReader(LogFileReader&& other) noexcept
    : m_path(std::move(other.m_path))
    , m_descriptor(std::exchange(other.m_descriptor, -1))
    , m_buffer(std::move(other.m_buffer))
    , m_begin(other.m_begin)
    , m_end(other.m_end)
    , m_bufferOffset(other.m_bufferOffset)
    , m_partSize(other.m_partSize)
{
}

std::optional<LogFileReader::Line> LogFileReader::next()
{
    while (true) {
        const std::size_t available = m_end - m_begin;
        const char* const begin = m_buffer.data() + m_begin;
        const void* const newline = available ? std::memchr(begin, '\n', available) : nullptr;
        if (newline || available >= kLongestLine) {
            const std::size_t size = newline ? std::size_t(static_cast<const char*>(newline) - begin) : kLongestLine;
            const Line line {m_bufferOffset + std::int64_t(m_begin), {begin, size}, true};
            m_begin += size + (newline ? 1 : 0);
            m_partSize = -1;
            return line;
        }
        if (fill())
            continue;
        const auto rest = m_end - m_begin;
        if (rest == 0 || std::int64_t(rest) == m_partSize)
            return std::nullopt;
        m_partSize = std::int64_t(rest);
        return Line {m_bufferOffset + std::int64_t(m_begin), {m_buffer.data() + m_begin, rest}, false};
    }
}

/// More bytes behind what is unread; false at the end of the file.
bool LogFileReader::fill()
{
    if (m_descriptor < 0)
        m_descriptor = ::open(m_path.c_str(), O_RDONLY | O_CLOEXEC);
    if (m_descriptor < 0)
        return false;
    if (m_begin > 0) {
        std::memmove(m_buffer.data(), m_buffer.data() + m_begin, m_end - m_begin);
        m_bufferOffset += std::int64_t(m_begin);
        m_end -= m_begin;
        m_begin = 0;
    }
    if (m_buffer.size() < m_end + kPieceBytes)
        m_buffer.resize(m_end + kPieceBytes);
    const ssize_t got = ::pread(m_descriptor, m_buffer.data() + m_end, kPieceBytes,
        m_bufferOffset + std::int64_t(m_end));
    if (got <= 0)
        return false;
    m_end += std::size_t(got);
    return true;
}

void LogFileReader::seek(std::int64_t offset)
{
    m_begin = m_end = 0;
    m_partSize = -1;
    m_bufferOffset = offset > 0 ? offset - 1 : 0;
    if (offset > 0)
        next();
}

bool LogFileReader::hasShrunk() const
{
    return m_descriptor >= 0 && size() < m_bufferOffset + std::int64_t(m_end);
}

std::int64_t LogFileReader::size() const
{
    struct stat status {};
    return ::stat(m_path.c_str(), &status) == 0 ? status.st_size : 0;
}

std::string readLineAt(int descriptor, std::int64_t offset, std::size_t limit)
{
    std::string text(limit, '\0');
    const ssize_t got = ::pread(descriptor, text.data(), limit, offset);
    text.resize(got > 0 ? std::size_t(got) : 0);
    const std::size_t newline = text.find('\n');
    if (newline != std::string::npos)
        text.resize(newline);
    return text;
}

}  // namespace ui
