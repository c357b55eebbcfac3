#include "ui/logs/log_file_reader.h"

#include "engine/contract/formats/open_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace ui {
namespace {

constexpr std::size_t kReadBytes = 1 << 20;
// Longer "lines" are split; they come from binary data in a log.
constexpr std::size_t kMaxLineBytes = 1 << 20;

}  // namespace

LogFileReader::LogFileReader(std::string path)
    : m_path(std::move(path))
    , m_descriptor(contract::openRegularFile(m_path, O_RDONLY, contract::Links::Refuse))
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
    , m_incompleteSize(other.m_incompleteSize)
{
}

std::optional<LogFileReader::Line> LogFileReader::next()
{
    while (true) {
        if (const auto line = bufferedLine())
            return line;
        if (fill())
            continue;
        const auto rest = m_end - m_begin;
        if (rest == 0 || std::int64_t(rest) == m_incompleteSize)
            return std::nullopt;
        m_incompleteSize = std::int64_t(rest);
        return Line {m_bufferOffset + std::int64_t(m_begin), {m_buffer.data() + m_begin, rest}, false};
    }
}

bool LogFileReader::nextLines(std::vector<Line>& lines)
{
    lines.clear();
    for (auto line = next(); line; line = line->isWhole ? bufferedLine() : std::nullopt)
        lines.push_back(*line);
    return !lines.empty();
}

/// The next line if the buffer has all of it.
std::optional<LogFileReader::Line> LogFileReader::bufferedLine()
{
    const std::size_t available = m_end - m_begin;
    const char* const begin = m_buffer.data() + m_begin;
    const void* const newline = available ? std::memchr(begin, '\n', available) : nullptr;
    if (!newline && available < kMaxLineBytes)
        return std::nullopt;
    const std::size_t size = newline ? std::size_t(static_cast<const char*>(newline) - begin) : kMaxLineBytes;
    const Line line {m_bufferOffset + std::int64_t(m_begin), {begin, size}, true};
    m_begin += size + (newline ? 1 : 0);
    m_incompleteSize = -1;
    return line;
}

/// Reads more bytes after the unread ones. Returns false at the end of the file, or when it cannot be read.
bool LogFileReader::fill()
{
    if (m_descriptor < 0)
        m_descriptor = contract::openRegularFile(m_path, O_RDONLY, contract::Links::Refuse);
    if (m_descriptor < 0)
        return false;
    if (m_begin > 0) {
        std::memmove(m_buffer.data(), m_buffer.data() + m_begin, m_end - m_begin);
        m_bufferOffset += std::int64_t(m_begin);
        m_end -= m_begin;
        m_begin = 0;
    }
    if (m_buffer.size() < m_end + kReadBytes)
        m_buffer.resize(m_end + kReadBytes);
    const ssize_t got = ::pread(m_descriptor, m_buffer.data() + m_end, kReadBytes,
        m_bufferOffset + std::int64_t(m_end));
    if (got <= 0)
        return false;
    m_end += std::size_t(got);
    return true;
}

void LogFileReader::seek(std::int64_t offset)
{
    m_begin = m_end = 0;
    m_incompleteSize = -1;
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
    // Most lines are short: blocks of this size keep the string from growing to the limit for each of them.
    std::array<char, 1024> block;
    std::string text;
    while (text.size() < limit) {
        const std::size_t wanted = std::min(block.size(), limit - text.size());
        const ssize_t got = ::pread(descriptor, block.data(), wanted, offset + std::int64_t(text.size()));
        if (got <= 0)
            break;
        const void* const newline = std::memchr(block.data(), '\n', std::size_t(got));
        text.append(block.data(), newline ? std::size_t(static_cast<const char*>(newline) - block.data()) : std::size_t(got));
        if (newline)
            break;
    }
    return text;
}

}  // namespace ui
