#include "engine/diffusion/prompt_seed.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <string>

namespace engine {
namespace {

constexpr std::size_t kBlock = 64;  ///< bytes

std::uint32_t littleEndian(const std::string& bytes, std::size_t at)
{
    std::uint32_t word = 0;
    for (std::size_t i = 4; i-- > 0;)
        word = word << 8 | static_cast<std::uint8_t>(bytes[at + i]);
    return word;
}

/// The message, a bit 1, zeros, and the message's length in bits as 8 bytes, least first: whole blocks.
std::string padded(const std::string& message)
{
    std::string bytes = message + '\x80';
    bytes.resize((bytes.size() + 8 + kBlock - 1) / kBlock * kBlock - 8);
    for (std::uint64_t i = 0, bits = message.size() * 8; i < 8; ++i)
        bytes += static_cast<char>(bits >> (8 * i) & 0xFF);
    return bytes;
}

/// The first two words of the MD5 digest (RFC 1321).
std::array<std::uint32_t, 2> beginningOfMd5(const std::string& message)
{
    constexpr int kShifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    std::array<std::uint32_t, 4> digest = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};
    const std::string bytes = padded(message);
    for (std::size_t block = 0; block < bytes.size(); block += kBlock) {
        auto [a, b, c, d] = digest;
        for (std::size_t i = 0; i < 64; ++i) {
            const std::size_t round = i / 16;
            const std::uint32_t mixed = round == 0 ? (b & c) | (~b & d) : round == 1 ? (d & b) | (~d & c) : round == 2 ? b ^ c ^ d : c ^ (b | ~d);
            const std::size_t word = (round == 0 ? i : round == 1 ? 5 * i + 1 : round == 2 ? 3 * i + 5 : 7 * i) % 16;
            const auto constant = static_cast<std::uint32_t>(std::floor(std::abs(std::sin(static_cast<double>(i + 1))) * 4294967296.0));
            const std::uint32_t sum = a + mixed + constant + littleEndian(bytes, block + 4 * word);
            a = d;
            d = c;
            c = b;
            b += std::rotl(sum, kShifts[round][i % 4]);
        }
        digest = {digest[0] + a, digest[1] + b, digest[2] + c, digest[3] + d};
    }
    return {digest[0], digest[1]};
}

std::uint64_t bigEndian(std::uint32_t littleEndianWord)
{
    std::uint64_t result = 0;
    for (int i = 0; i < 4; ++i)
        result = result << 8 | (littleEndianWord >> (8 * i) & 0xFF);
    return result;
}

}  // namespace

std::uint64_t promptSeed(std::span<const std::int64_t> tokens, std::int64_t step)
{
    std::string text = "(";
    for (std::size_t i = 0; i < tokens.size(); ++i)
        text += (i > 0 ? ", " : "") + std::to_string(tokens[i]);
    text += tokens.size() == 1 ? ",)" : ")";
    const auto digest = beginningOfMd5(text);
    return (bigEndian(digest[0]) << 32 | bigEndian(digest[1])) + static_cast<std::uint64_t>(step);
}

}  // namespace engine
