// Reads a message of protocol buffers field by field, without its schema. The bytes may come from anywhere.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace contract {

class ProtobufReader {
public:
    enum class Type : unsigned { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

    /// @param message must outlive this and what bytes() returns
    explicit ProtobufReader(std::string_view message)
        : m_rest(message)
    {
    }

    /// Moves to the next field. @return false at the end, and where the message is damaged; isDamaged() tells which.
    bool next();
    bool isDamaged() const { return m_isDamaged; }

    unsigned field() const { return m_field; }
    Type type() const { return m_type; }
    bool is(unsigned field, Type type) const { return m_field == field && m_type == type; }

    std::uint64_t number() const { return m_number; }  ///< of a varint, or the bits of a fixed number; 0 for bytes
    std::int64_t integer() const { return static_cast<std::int64_t>(m_number); }
    /// Of a fixed number, the float or double that it is.
    double real() const
    {
        return m_type == Type::Fixed32 ? double(std::bit_cast<float>(static_cast<std::uint32_t>(m_number))) : std::bit_cast<double>(m_number);
    }
    std::string_view bytes() const { return m_bytes; }  ///< empty for numbers

    /// Reads a varint off the beginning of @p bytes, as they stand in packed fields. @return false when there is none.
    static bool takeVarint(std::string_view& bytes, std::uint64_t& value)
    {
        value = 0;
        for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(bytes.front());
            bytes.remove_prefix(1);
            value |= std::uint64_t {byte & 0x7fU} << shift;
            if (byte < 0x80)
                return true;
        }
        return false;
    }

private:
    template <typename Word>
    bool takeFixed()
    {
        Word word {};
        if (m_rest.size() < sizeof word)
            return false;
        std::memcpy(&word, m_rest.data(), sizeof word);
        m_rest.remove_prefix(sizeof word);
        m_number = word;
        return true;
    }
    bool takeField();

    std::string_view m_rest;
    unsigned m_field = 0;
    Type m_type = Type::Varint;
    std::uint64_t m_number = 0;
    std::string_view m_bytes;
    bool m_isDamaged = false;
};

inline bool ProtobufReader::next()
{
    if (m_rest.empty() || m_isDamaged)
        return false;
    m_isDamaged = !takeField();
    return !m_isDamaged;
}

inline bool ProtobufReader::takeField()
{
    std::uint64_t key = 0;
    if (!takeVarint(m_rest, key) || key >> 3 == 0 || key >> 32 != 0)
        return false;
    m_field = static_cast<unsigned>(key >> 3);
    m_type = static_cast<Type>(key & 7);
    m_number = 0;
    m_bytes = {};
    switch (m_type) {
    case Type::Varint:
        return takeVarint(m_rest, m_number);
    case Type::Fixed64:
        return takeFixed<std::uint64_t>();
    case Type::Fixed32:
        return takeFixed<std::uint32_t>();
    case Type::Bytes: {
        std::uint64_t length = 0;
        if (!takeVarint(m_rest, length) || length > m_rest.size())
            return false;
        m_bytes = m_rest.substr(0, length);
        m_rest.remove_prefix(length);
        return true;
    }
    }
    return false;  // groups, which nothing has written for twenty years
}

}  // namespace contract
