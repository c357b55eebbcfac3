// Reads a log's lines one after another, in large pieces, whatever its size and its bytes.
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
        std::string_view text;  ///< without its newline; valid until the next call
        bool isWhole = true;    ///< false: the file ends in it
    };

    /// The next line from where the last ended; nullopt at the end of the file, for now. A last line
    /// without a newline is given as it is, and once more, from its beginning, when it has grown.
    std::optional<Line> next();

    /// Goes to the first line that begins at or after @p offset.
    void seek(std::int64_t offset);
    /// The file is shorter than what was read: it is another one.
    bool hasShrunk() const;
    std::int64_t size() const;

private:
    bool fill();

    std::string m_path;
    int m_descriptor = -1;
    std::vector<char> m_buffer;
    std::size_t m_begin = 0;          ///< of what is unread in the buffer
    std::size_t m_end = 0;
    std::int64_t m_bufferOffset = 0;  ///< of the buffer's first byte in the file
    std::int64_t m_partSize = -1;     ///< of the incomplete line that was given last
};

/// The line at @p offset, at most @p limit bytes of it, with bytes that are not UTF-8 left in.
std::string readLineAt(int descriptor, std::int64_t offset, std::size_t limit);

}  // namespace ui
