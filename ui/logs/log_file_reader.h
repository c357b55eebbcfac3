// Reads the lines of a log file one after another, buffered in large blocks. Handles files of any size and content.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

class LogFileReader {
public:
    explicit LogFileReader(std::string path);
    ~LogFileReader();
    LogFileReader(LogFileReader&& other) noexcept;
    LogFileReader& operator=(LogFileReader&&) = delete;

    struct Line {
        std::int64_t offset = 0;
        std::string_view text;  ///< without its newline; valid until the next call that reads
        bool isWhole = true;    ///< false: the last line of the file, which has no newline yet
    };

    /// Returns the next line, or nullopt at the present end of the file (a later call may find more). A last line
    /// without a newline is returned as it is, and again from its beginning once it has grown. Lines longer than
    /// 1 MiB are split.
    std::optional<Line> next();
    /// Replaces @p lines by the next ones, about a megabyte of them; they are those that next() would return, and valid until the next call
    /// that reads. An incomplete line comes alone. @return false at the present end of the file.
    bool nextLines(std::vector<Line>& lines);

    /// Moves to the first line that begins at or after the byte @p offset.
    void seek(std::int64_t offset);
    /// True when the file is shorter than the part already read, which means that it has been replaced.
    bool hasShrunk() const;
    /// The present size of the file in bytes; 0 when it does not exist.
    std::int64_t size() const;

private:
    std::optional<Line> bufferedLine();
    bool fill();

    std::string m_path;
    int m_descriptor = -1;
    std::vector<char> m_buffer;
    std::size_t m_begin = 0;          ///< the unread bytes in the buffer are [m_begin, m_end)
    std::size_t m_end = 0;
    std::int64_t m_bufferOffset = 0;  ///< offset of the buffer's first byte in the file
    std::int64_t m_incompleteSize = -1;     ///< bytes of the incomplete line that was returned last; -1: none
};

/// Reads the line at @p offset without its newline, at most @p limit bytes of it. Bytes that are not valid UTF-8 are
/// kept. Returns an empty string when it cannot be read.
std::string readLineAt(int descriptor, std::int64_t offset, std::size_t limit);

}  // namespace ui
