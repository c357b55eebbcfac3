#include "engine/contract/records/crc32.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace contract {
namespace {

/// Tables for eight bytes at a time.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

/// @param polynomial with its bits reversed
constexpr Tables makeTables(std::uint32_t polynomial)
{
    Tables tables {};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t value = byte;
        for (int bit = 0; bit < 8; ++bit)
            value = (value >> 1) ^ ((value & 1) != 0 ? polynomial : 0U);
        tables[0][byte] = value;
    }
    for (std::size_t table = 1; table < tables.size(); ++table)
        for (std::size_t byte = 0; byte < 256; ++byte)
            tables[table][byte] = (tables[table - 1][byte] >> 8) ^ tables[0][tables[table - 1][byte] & 0xff];
    return tables;
}

constexpr Tables kCastagnoli = makeTables(0x82f63b78U);
constexpr Tables kIeee = makeTables(0xedb88320U);

std::uint32_t crcOf(std::string_view bytes, const Tables& tables, std::uint32_t previous)
{
    static_assert(std::endian::native == std::endian::little);
    std::uint32_t crc = ~previous;
    while (bytes.size() >= 8) {
        std::uint32_t low = 0, high = 0;
        std::memcpy(&low, bytes.data(), 4);
        std::memcpy(&high, bytes.data() + 4, 4);
        low ^= crc;
        crc = tables[7][low & 0xff] ^ tables[6][low >> 8 & 0xff] ^ tables[5][low >> 16 & 0xff] ^ tables[4][low >> 24]
            ^ tables[3][high & 0xff] ^ tables[2][high >> 8 & 0xff] ^ tables[1][high >> 16 & 0xff] ^ tables[0][high >> 24];
        bytes.remove_prefix(8);
    }
    for (const char byte : bytes)
        crc = crc >> 8 ^ tables[0][(crc ^ static_cast<unsigned char>(byte)) & 0xff];
    return ~crc;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) { return crcOf(bytes, kCastagnoli, 0); }
std::uint32_t crc32(std::string_view bytes, std::uint32_t previous) { return crcOf(bytes, kIeee, previous); }

}  // namespace contract
