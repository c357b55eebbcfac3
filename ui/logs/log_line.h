// A line of a log: its place in the files, and its level.
#pragma once
#include <cstdint>
#include <string_view>

namespace ui {

enum class LogLevel : std::uint8_t { Unknown, Debug, Info, Warning, Error };

/// The file and offset where a line begins, packed into eight bytes, because a 1 GB log has ten million lines.
class LogPlace {
public:
    LogPlace() = default;
    /// @param file index of the file, below 4096; @param offset in bytes, below 2^52.
    LogPlace(int file, std::int64_t offset)
        : m_bits(std::uint64_t(file) << 52 | std::uint64_t(offset))
    {
    }
    int file() const { return int(m_bits >> 52); }
    std::int64_t offset() const { return std::int64_t(m_bits & ((std::uint64_t(1) << 52) - 1)); }
    bool operator==(const LogPlace&) const = default;

private:
    std::uint64_t m_bits = 0;
};

/// The level in the first brackets, "… [warning] …", if they begin within 40 characters; Error for a line that begins
/// with "error:"; otherwise Unknown.
LogLevel logLevel(std::string_view line);

}  // namespace ui
