// Numbers in a table of an OpenType font, never beyond its end.
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace engine {

/// Big-endian numbers at places counted from the table's beginning.
class FontTable {
public:
    explicit FontTable(std::string_view bytes = {})
        : m_bytes(bytes)
    {
    }

    std::uint32_t u8(std::uint64_t place) const { return number(place, 1); }
    std::uint32_t u16(std::uint64_t place) const { return number(place, 2); }
    std::uint32_t u32(std::uint64_t place) const { return number(place, 4); }

    /// @throws std::runtime_error when the table ends before.
    std::string_view bytes(std::uint64_t place, std::uint64_t count) const
    {
        if (place > m_bytes.size() || count > m_bytes.size() - place)
            throw std::runtime_error("is no font, or damaged: a table ends before what it should hold");
        return m_bytes.substr(place, count);
    }

    /// What begins at @p place.
    FontTable from(std::uint64_t place) const { return FontTable(bytes(place, m_bytes.size() - std::min<std::uint64_t>(place, m_bytes.size()))); }

private:
    std::uint32_t number(std::uint64_t place, std::uint64_t size) const
    {
        std::uint32_t value = 0;
        for (const char byte : bytes(place, size))
            value = value << 8 | static_cast<unsigned char>(byte);
        return value;
    }

    std::string_view m_bytes;
};

}  // namespace engine
