#include "storage/journal_reader.h"

#include "engine/contract/formats/open_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace storage {

JournalReader::JournalReader(std::filesystem::path file, const JournalPosition& position)
    : m_file(std::move(file))
    , m_descriptor(contract::openRegularFile(m_file, O_RDONLY, contract::Links::Refuse))
    , m_offset(position.offset)
    , m_ending(position.ending)
{
    if (m_descriptor < 0 && errno != ENOENT)
        throw JournalError(m_file.string() + ": " + contract::openError(errno).message());
    m_buffer.resize(m_ending.size());
    const auto start = m_offset - static_cast<std::int64_t>(m_ending.size());
    const ssize_t count
        = m_descriptor < 0 ? 0 : ::pread(m_descriptor, m_buffer.data(), m_buffer.size(), start);
    m_isReplaced = count != static_cast<ssize_t>(m_ending.size()) || m_buffer != m_ending;
}

JournalReader::~JournalReader()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

void JournalReader::restart()
{
    m_offset = 0;
    m_ending.clear();
    m_isReplaced = false;
}

bool JournalReader::readLines(const std::function<void(std::string_view)>& onLine)
{
    std::size_t size = fill(0, kReadBytes);
    std::size_t end = std::string_view(m_buffer.data(), size).rfind('\n');
    if (end == std::string_view::npos && size == kReadBytes) {
        size += fill(size, kLongestLine - size);
        end = std::string_view(m_buffer.data(), size).rfind('\n');
        if (end == std::string_view::npos && size == kLongestLine)
            return skipOversizedLine(onLine);
    }
    if (end == std::string_view::npos)
        return false;
    const std::string_view whole(m_buffer.data(), end + 1);
    for (std::size_t begin = 0; begin < whole.size();) {
        const std::size_t newline = whole.find('\n', begin);
        onLine(whole.substr(begin, newline - begin));
        begin = newline + 1;
    }
    advance(whole);
    return true;
}

/// Reads up to @p count bytes into the buffer, starting at its index @p from. @return the number of bytes read.
std::size_t JournalReader::fill(std::size_t from, std::size_t count)
{
    if (m_descriptor < 0)
        return 0;
    if (m_buffer.size() < from + count)
        m_buffer.resize(from + count);
    std::size_t done = 0;
    while (done < count) {
        const ssize_t got = ::pread(m_descriptor, m_buffer.data() + from + done, count - done,
            m_offset + static_cast<std::int64_t>(from + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            throw JournalError(m_file.string() + ": " + std::generic_category().message(errno));
        if (got == 0)
            break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

/// Searches the end of a line that is longer than kLongestLine. Passes only its beginning to @p onLine, which the parser
/// counts as a malformed line.
bool JournalReader::skipOversizedLine(const std::function<void(std::string_view)>& onLine)
{
    const std::int64_t start = m_offset;
    const Bytes ending = m_ending;
    const Bytes beginning = m_buffer.substr(0, kLongestLine);
    while (const std::size_t size = fill(0, kReadBytes)) {
        if (m_offset - start > kLongestGarbage)
            throw JournalError(m_file.string() + ": has a line of more than 64 MiB, so it is not a journal");
        const std::size_t newline = std::string_view(m_buffer.data(), size).find('\n');
        const bool isFound = newline != std::string_view::npos;
        advance({m_buffer.data(), isFound ? newline + 1 : size});
        if (isFound) {
            onLine(beginning);
            return true;
        }
    }
    m_offset = start;  // the line's newline has not been written yet
    m_ending = ending;
    return false;
}

void JournalReader::advance(std::string_view consumed)
{
    m_offset += static_cast<std::int64_t>(consumed.size());
    m_ending.append(consumed.substr(consumed.size() - std::min(consumed.size(), kEnding)));
    if (m_ending.size() > kEnding)
        m_ending.erase(0, m_ending.size() - kEnding);
}

}  // namespace storage
