// Reads complete lines from a journal file to which another process may be appending.
#pragma once
#include "storage/database.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace storage {

/// How far a journal has been read.
struct JournalPosition {
    std::int64_t offset = 0;       ///< in bytes; 0, or just after a newline
    Bytes ending;                  ///< the last bytes before offset, to detect that the file was replaced
    int attempt = 0;               ///< the one to which the last line belongs; 0 when there was no header yet
    std::int64_t startUnixMs = 0;  ///< start of that attempt
    bool operator==(const JournalPosition&) const = default;
};

/// A journal cannot be read; the message names the file.
class JournalError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class JournalReader {
public:
    /// A missing file reads as empty. @throws JournalError when the file cannot be read or is no regular file.
    JournalReader(std::filesystem::path file, const JournalPosition& position);
    ~JournalReader();
    JournalReader(const JournalReader&) = delete;
    JournalReader& operator=(const JournalReader&) = delete;

    /// Whether the bytes before the position differ from those read earlier: the file was truncated or replaced.
    bool isReplaced() const { return m_isReplaced; }
    void restart();  ///< continues at the beginning of the file

    /// Calls @p onLine with some complete lines, without their newlines, about kReadBytes in total.
    /// @return whether there were any. @throws JournalError.
    bool readLines(const std::function<void(std::string_view)>& onLine);

    std::int64_t offset() const { return m_offset; }
    const Bytes& ending() const { return m_ending; }

private:
    static constexpr std::size_t kReadBytes = 512 * 1024;
    static constexpr std::size_t kEnding = 64;
    /// Longer lines are malformed: see JournalParser.
    static constexpr std::size_t kLongestLine = 2 * 1024 * 1024;
    /// So far a line's end is searched at each readLines(). No journal has a longer line; a sparse file may.
    static constexpr std::int64_t kLongestGarbage = 64 * 1024 * 1024;

    std::size_t fill(std::size_t from, std::size_t count);
    bool skipOversizedLine(const std::function<void(std::string_view)>& onLine);
    void advance(std::string_view consumed);

    std::filesystem::path m_file;
    int m_descriptor = -1;
    std::int64_t m_offset = 0;
    Bytes m_ending;
    bool m_isReplaced = false;
    std::string m_buffer;
};

}  // namespace storage
