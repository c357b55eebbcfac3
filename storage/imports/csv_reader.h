// Reads tables in text files (CSV) line by line: RFC 4180, and what spreadsheets and scripts make of it.
#pragma once
#include "storage/imports/text_blocks.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace storage {

/// Cells are separated by commas, semicolons or tabs, whichever the first line has most of. A cell in quotation marks may hold them, line
/// breaks, and quotation marks in pairs. Lines end in LF or CRLF; empty ones are skipped.
/// All functions throw std::runtime_error in one sentence that names the file, and line and column of what is wrong.
class CsvReader {
public:
    /// Reads the first line. Throws when there is none.
    explicit CsvReader(const std::filesystem::path& file);

    const std::vector<std::string>& names() const { return m_names; }  ///< the cells of the first line
    char separator() const { return m_separator; }

    /// Reads the next line, which has as many cells as there are names. @return false at the end
    bool next();
    const std::vector<std::string_view>& cells() const { return m_cells; }  ///< valid until the next call
    /// Whether the last line has no end and fewer cells than there are names, as while it is being written; it was left out.
    bool isTorn() const { return m_isTorn; }

    /// Throws a sentence about the cell @p column, counted from 0, of the line that was read last.
    [[noreturn]] void fail(std::size_t column, const std::string& what) const;
    const std::filesystem::path& file() const { return m_blocks.file(); }

    static constexpr std::size_t kLongestLine = std::size_t {16} << 20;
    static constexpr std::size_t kMostColumns = 100'000;

private:
    bool readLine();
    std::size_t lineEnd(std::string_view text) const;
    void split(std::string_view line);
    void splitQuoted(std::string_view line);
    void refuseNul(std::string_view line) const;
    [[noreturn]] void failLine(const std::string& what) const;

    TextBlocks m_blocks;
    char m_separator = ',';
    std::vector<std::string> m_names;
    std::vector<std::string_view> m_cells;
    std::string m_unquoted;          ///< the cells of a line with quotation marks
    std::int64_t m_line = 0;         ///< number of the line that was read last, from 1
    std::int64_t m_lineBreaks = 0;   ///< that it has, with that at its end
    bool m_hasEnd = true;            ///< it ends in a line break
    bool m_isTorn = false;
};

}  // namespace storage
