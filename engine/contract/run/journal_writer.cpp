#include "engine/contract/run/journal_writer.h"

#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/open_file.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/supervisor_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <system_error>

namespace contract {
namespace {

bool endsWithinALine(int descriptor)
{
    struct stat info {};
    char last = '\n';
    return ::fstat(descriptor, &info) == 0 && info.st_size > 0
        && ::pread(descriptor, &last, 1, info.st_size - 1) == 1 && last != '\n';
}

}  // namespace

JournalWriter::JournalWriter(const std::filesystem::path& file, JournalHeader header)
    : m_file(file)
    , m_header(std::move(header))
    , m_start(std::chrono::steady_clock::now())
{
    m_header.host = hostName();
    m_header.startUnixMs = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::system_clock::now().time_since_epoch())
                               .count();
    m_descriptor = openRegularFile(file, O_RDWR | O_APPEND | O_CREAT, Links::Refuse);
    if (m_descriptor < 0)
        throw std::system_error(openError(errno), "journal " + file.string());
    m_isTorn = endsWithinALine(m_descriptor);
    m_line = "{\"v\":" + std::to_string(m_header.version) + ",\"run\":";
    appendJsonString(m_line, m_header.run);
    m_line += ",\"attempt\":" + std::to_string(m_header.attempt)
        + ",\"rank\":" + std::to_string(m_header.rank) + ",\"host\":";
    appendJsonString(m_line, m_header.host);
    m_line += ",\"t_unix_ms\":" + std::to_string(m_header.startUnixMs) + "}\n";
    try {
        writeLine();
    } catch (...) {
        ::close(m_descriptor);  // the destructor does not run when the constructor throws
        throw;
    }
}

JournalWriter::~JournalWriter() { ::close(m_descriptor); }

JournalWriter& JournalWriter::begin(std::string_view type, std::int64_t step)
{
    const std::chrono::duration<double, std::milli> elapsed
        = std::chrono::steady_clock::now() - m_start;
    m_line.assign("{\"type\":\"").append(type).append("\"");
    add("step", step);
    return add("t_ms", std::round(elapsed.count() * 1000) / 1000);
}

void JournalWriter::appendName(std::string_view name)
{
    m_line.append(",\"").append(name).append("\":");
}

JournalWriter& JournalWriter::add(std::string_view name, double value)
{
    appendName(name);
    appendJsonNumber(m_line, value);
    return *this;
}

JournalWriter& JournalWriter::add(std::string_view name, std::int64_t value)
{
    appendName(name);
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    m_line.append(digits, end);
    return *this;
}

JournalWriter& JournalWriter::add(std::string_view name, std::string_view text)
{
    appendName(name);
    appendJsonString(m_line, shortened(text, kLongestText));
    return *this;
}

void JournalWriter::commit()
{
    m_line += "}\n";
    writeLine();
}

void JournalWriter::writeLine()
{
    if (m_isTorn)
        m_line.insert(m_line.begin(), '\n');
    std::size_t written = 0;
    while (written < m_line.size()) {
        const ssize_t count
            = ::write(m_descriptor, m_line.data() + written, m_line.size() - written);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0) {
            m_isTorn = m_isTorn || written > 0;
            throw std::system_error(errno, std::generic_category(), "journal " + m_file.string());
        }
        written += static_cast<std::size_t>(count);
    }
    m_isTorn = false;
}

}  // namespace contract
