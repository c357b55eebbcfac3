// A line of a log: where it is, and what its first characters say.
#pragma once
#include <cstdint>
#include <string_view>

namespace ui {

enum class LogLevel : std::uint8_t { Unknown, Debug, Info, Warning, Error };

/// Where a line begins, in eight bytes: a 1 GB log has ten million of them.
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

/// "2026-11-21 10:15:00.123 …" as a number that grows with time; 0 when the line begins otherwise.
std::int64_t logTime(std::string_view line);

/// Of "… [warning] …" within the first characters; Unknown when there is none.
LogLevel logLevel(std::string_view line);

}  // namespace ui
