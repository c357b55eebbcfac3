// Follows one journal's file by whole lines.
#pragma once
#include "storage/database.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace storage {

/// How far a journal has been read.
struct JournalPosition {
    std::int64_t offset = 0;  ///< bytes; always behind a newline
    Bytes ending;             ///< the last bytes before it, by which a file that took its place is known
    int attempt = 0;          ///< that the last line belongs to; 0: no header yet
    std::int64_t startUnixMs = 0;
    bool operator==(const JournalPosition&) const = default;
};

class JournalReader {
public:
    /// A missing file is an empty one. @throws std::system_error naming a file that cannot be read.
    JournalReader(std::filesystem::path file, const JournalPosition& position);
    ~JournalReader();
    JournalReader(const JournalReader&) = delete;
    JournalReader& operator=(const JournalReader&) = delete;

    /// The file no longer has what was read up to the position: it was cut or replaced.
    bool isReplaced() const { return m_isReplaced; }
    void restart();

    /// Hands over some whole lines, without their newlines, about kPortion bytes of them.
    /// @return whether there were any.
    bool readLines(const std::function<void(std::string_view)>& onLine);

    std::int64_t offset() const { return m_offset; }
    const Bytes& ending() const { return m_ending; }

private:
    static constexpr std::size_t kPortion = 512 * 1024;
    static constexpr std::size_t kEnding = 64;
    /// No line that says anything is longer: see JournalParser.
    static constexpr std::size_t kLongestLine = 2 * 1024 * 1024;

    std::size_t fill(std::size_t from, std::size_t count);
    bool passOverEndlessLine(const std::function<void(std::string_view)>& onLine);
    void advance(std::string_view consumed);

    std::filesystem::path m_file;
    int m_descriptor = -1;
    std::int64_t m_offset = 0;
    Bytes m_ending;
    bool m_isReplaced = false;
    std::string m_buffer;
};

}  // namespace storage
