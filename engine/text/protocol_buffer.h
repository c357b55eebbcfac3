// Reads the fields of one message in the wire format of protocol buffers.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace engine {

/// One field of a message: a number, or bytes (a string or an embedded message).
struct ProtocolField {
    std::uint64_t number = 0;  ///< field number
    std::uint64_t value = 0;   ///< value of a varint, or the bits of a fixed-width number
    std::string_view bytes;

    float real() const { return std::bit_cast<float>(static_cast<std::uint32_t>(value)); }
};

class ProtocolReader {
public:
    explicit ProtocolReader(std::string_view message)
        : m_rest(message)
    {
    }

    /// Returns the next field, or nullopt at the end. @throws std::runtime_error when the message is malformed.
    std::optional<ProtocolField> next()
    {
        if (m_rest.empty())
            return std::nullopt;
        const std::uint64_t key = varint();
        ProtocolField field {key >> 3, 0, {}};
        switch (key & 7U) {
        case 0:
            field.value = varint();
            break;
        case 1:
            field.value = fixed<std::uint64_t>();
            break;
        case 2:
            field.bytes = take(varint());
            break;
        case 5:
            field.value = fixed<std::uint32_t>();
            break;
        default:
            throw std::runtime_error("is not a valid protocol buffer");
        }
        return field;
    }

private:
    std::string_view take(std::uint64_t size)
    {
        if (size > m_rest.size())
            throw std::runtime_error("is truncated");
        const std::string_view taken = m_rest.substr(0, static_cast<std::size_t>(size));
        m_rest.remove_prefix(taken.size());
        return taken;
    }

    template <typename Number>
    Number fixed()  // little-endian, like the supported machines
    {
        Number number;
        std::memcpy(&number, take(sizeof(Number)).data(), sizeof(Number));
        return number;
    }

    std::uint64_t varint()
    {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const auto byte = static_cast<unsigned char>(take(1).front());
            value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
            if (byte < 0x80)
                return value;
        }
        throw std::runtime_error("is not a valid protocol buffer");
    }

    std::string_view m_rest;
};

}  // namespace engine
