#include "storage/imports/csv_reader.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace storage {
namespace {

/// The separator of which @p line has most outside quotation marks; a comma when it has none.
char separatorOf(std::string_view line)
{
    constexpr std::string_view kSeparators = ",;\t";
    std::size_t counts[3] = {};
    bool isQuoted = false;
    for (const char character : line) {
        isQuoted = isQuoted != (character == '"');
        if (const std::size_t which = kSeparators.find(character); which != std::string_view::npos && !isQuoted)
            ++counts[which];
    }
    return kSeparators[static_cast<std::size_t>(std::ranges::max_element(counts) - counts)];
}

}  // namespace

CsvReader::CsvReader(const std::filesystem::path& file)
    : m_blocks(file)
{
    constexpr std::size_t kFarEnough = std::size_t {1} << 20;
    std::string_view beginning = m_blocks.ahead(kFarEnough);
    beginning.remove_prefix(std::min(beginning.find_first_not_of("\r\n"), beginning.size()));
    m_separator = separatorOf(beginning.substr(0, beginning.find('\n')));
    if (!readLine())
        throw std::runtime_error(file.string() + ": is empty");
    m_names.assign(m_cells.begin(), m_cells.end());
}

bool CsvReader::next()
{
    if (!readLine())
        return false;
    if (m_cells.size() == m_names.size())
        return true;
    if (!m_hasEnd && m_cells.size() < m_names.size()) {
        m_isTorn = true;
        return false;
    }
    failLine("has " + std::to_string(m_cells.size()) + (m_cells.size() == 1 ? " cell" : " cells") + ", where the first line has " + std::to_string(m_names.size()));
}

/// Reads and splits the next line that is not empty. @return false at the end
bool CsvReader::readLine()
{
    constexpr std::size_t kOftenEnough = std::size_t {1} << 14;
    for (std::size_t wanted = kOftenEnough;;) {
        m_line += std::exchange(m_lineBreaks, 0) + (m_line == 0 ? 1 : 0);
        const std::string_view text = m_blocks.ahead(wanted);
        if (text.empty())
            return false;
        const std::size_t end = lineEnd(text);
        if (std::min(end, text.size()) > kLongestLine)
            failLine("is longer than 16 MiB");
        if (end == std::string_view::npos && !m_blocks.isLast()) {
            wanted = 2 * text.size();
            continue;
        }
        m_hasEnd = end != std::string_view::npos;
        std::string_view line = text.substr(0, end);
        m_blocks.skip(line.size() + (m_hasEnd ? 1 : 0));
        m_lineBreaks = 1;
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (line.empty())
            continue;
        split(line);
        return true;
    }
}

/// Of the line at the beginning of @p text: the place of the line break behind it; npos when there is none.
std::size_t CsvReader::lineEnd(std::string_view text) const
{
    const std::size_t end = text.find('\n');
    if (text.substr(0, end).find('"') == std::string_view::npos)
        return end;
    bool isStart = true, isQuoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (isQuoted) {
            isQuoted = text[i] != '"';  // the second mark of a pair opens the quotation again
            isStart = !isQuoted;
            continue;
        }
        if (text[i] == '\n')
            return i;
        isQuoted = isStart && text[i] == '"';
        isStart = text[i] == m_separator;
    }
    return std::string_view::npos;
}

void CsvReader::split(std::string_view line)
{
    m_cells.clear();
    if (std::memchr(line.data(), '"', line.size())) {
        splitQuoted(line);
    } else {
        for (std::size_t begin = 0;;) {
            const std::size_t end = std::min(line.find(m_separator, begin), line.size());
            m_cells.push_back(line.substr(begin, end - begin));
            if (end == line.size())
                break;
            begin = end + 1;
        }
    }
    if (std::memchr(line.data(), 0, line.size()))
        refuseNul(line);
    if (m_cells.size() > kMostColumns)
        failLine("has more than " + std::to_string(kMostColumns) + " cells");
}

void CsvReader::splitQuoted(std::string_view line)
{
    m_unquoted.clear();
    m_unquoted.reserve(line.size());  // so that the views into it stay valid
    m_lineBreaks += std::ranges::count(line, '\n');
    for (std::size_t at = 0;; ++at) {
        const std::size_t begin = m_unquoted.size();
        bool isQuoted = at < line.size() && line[at] == '"';
        at += isQuoted ? 1 : 0;
        for (; at < line.size() && (isQuoted || line[at] != m_separator); ++at) {
            if (isQuoted && line[at] == '"') {
                isQuoted = at + 1 < line.size() && line[at + 1] == '"';
                at += isQuoted ? 1 : 0;
                if (!isQuoted)
                    continue;
            }
            m_unquoted += line[at];
        }
        m_cells.emplace_back(m_unquoted.data() + begin, m_unquoted.size() - begin);
        if (isQuoted)
            fail(m_cells.size() - 1, "a quotation mark is not closed");
        if (at >= line.size())
            return;
    }
}

void CsvReader::refuseNul(std::string_view line) const
{
    const auto cell = std::ranges::find_if(m_cells, [](std::string_view each) { return each.find('\0') != std::string_view::npos; });
    const bool isUtf16 = line.size() > 1 && (line[0] == '\0' || line[1] == '\0' || line.starts_with("\xff\xfe"));
    fail(static_cast<std::size_t>(cell - m_cells.begin()), isUtf16 ? "is not UTF-8; save the file as UTF-8" : "holds a NUL byte; the file is damaged");
}

void CsvReader::fail(std::size_t column, const std::string& what) const
{
    throw std::runtime_error(file().string() + ": line " + std::to_string(m_line) + ", column " + std::to_string(column + 1) + ": " + what);
}

void CsvReader::failLine(const std::string& what) const
{
    throw std::runtime_error(file().string() + ": line " + std::to_string(m_line) + ": " + what);
}

}  // namespace storage
