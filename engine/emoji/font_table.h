// Reads numbers from a table of an OpenType font, with bounds checks.
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace engine {

/// Reads big-endian numbers at byte offsets from the start of the table.
class FontTable {
public:
    explicit FontTable(std::string_view bytes = {})
        : m_bytes(bytes)
    {
    }

    std::uint32_t u8(std::uint64_t offset) const { return number(offset, 1); }
    std::uint32_t u16(std::uint64_t offset) const { return number(offset, 2); }
    std::uint32_t u32(std::uint64_t offset) const { return number(offset, 4); }

    /// Returns @p count bytes at @p offset. @throws std::runtime_error when the table ends before that.
    std::string_view bytes(std::uint64_t offset, std::uint64_t count) const
    {
        if (offset > m_bytes.size() || count > m_bytes.size() - offset)
            throw std::runtime_error("is not a font or is damaged: a table ends too early");
        return m_bytes.substr(offset, count);
    }

    /// Returns the rest of the table from @p offset on.
    FontTable from(std::uint64_t offset) const { return FontTable(bytes(offset, m_bytes.size() - std::min<std::uint64_t>(offset, m_bytes.size()))); }

private:
    std::uint32_t number(std::uint64_t offset, std::uint64_t size) const
    {
        std::uint32_t value = 0;
        for (const char byte : bytes(offset, size))
            value = value << 8 | static_cast<unsigned char>(byte);
        return value;
    }

    std::string_view m_bytes;
};

}  // namespace engine
