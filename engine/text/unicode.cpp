#include "engine/text/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

namespace engine {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

/// Properties of a sequence that its first byte determines (The Unicode Standard, table 3-7).
struct Sequence {
    int length = 0;                ///< 0: no sequence starts with this byte
    unsigned char lowest = 0x80;   ///< smallest valid second byte
    unsigned char highest = 0xBF;
};

Sequence sequenceOf(unsigned char first)
{
    if (first < 0x80)
        return {1};
    if (first >= 0xC2 && first <= 0xDF)
        return {2};
    if (first >= 0xE0 && first <= 0xEF)
        return {3, static_cast<unsigned char>(first == 0xE0 ? 0xA0 : 0x80), static_cast<unsigned char>(first == 0xED ? 0x9F : 0xBF)};
    if (first >= 0xF0 && first <= 0xF4)
        return {4, static_cast<unsigned char>(first == 0xF0 ? 0x90 : 0x80), static_cast<unsigned char>(first == 0xF4 ? 0x8F : 0xBF)};
    return {};
}

/// Decodes the code point at @p place and advances @p place.
char32_t nextCodePoint(std::string_view utf8, std::size_t& place)
{
    const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(utf8[index]); };
    const unsigned char first = byte(place++);
    const Sequence sequence = sequenceOf(first);
    if (sequence.length == 0)
        return kReplacement;
    if (sequence.length == 1)
        return first;
    char32_t value = first & (0x7FU >> sequence.length);
    for (int index = 1; index < sequence.length; ++index) {
        const unsigned char lowest = index == 1 ? sequence.lowest : 0x80;
        const unsigned char highest = index == 1 ? sequence.highest : 0xBF;
        if (place == utf8.size() || byte(place) < lowest || byte(place) > highest)
            return kReplacement;
        value = value << 6 | (byte(place++) & 0x3FU);
    }
    return value;
}

struct FreeMemory {
    void operator()(utf8proc_uint8_t* memory) const { std::free(memory); }
};

}  // namespace

std::u32string codePoints(std::string_view utf8)
{
    std::u32string text;
    text.reserve(utf8.size());
    for (std::size_t place = 0; place < utf8.size();)
        text += nextCodePoint(utf8, place);
    return text;
}

std::string utf8(std::u32string_view text)
{
    std::string bytes;
    bytes.reserve(text.size());
    for (const char32_t character : text) {
        const auto add = [&](char32_t lead, int shift) { bytes += static_cast<char>(lead | (character >> shift)); };
        const auto follow = [&](int shift) { bytes += static_cast<char>(0x80U | (character >> shift & 0x3FU)); };
        if (character < 0x80) {
            add(0, 0);
        } else if (character < 0x800) {
            add(0xC0, 6), follow(0);
        } else if (character < 0x10000) {
            add(0xE0, 12), follow(6), follow(0);
        } else {
            add(0xF0, 18), follow(12), follow(6), follow(0);
        }
    }
    return bytes;
}

std::u32string composed(std::u32string_view text)
{
    const auto isAscii = [](char32_t character) { return character < 0x80; };
    if (std::all_of(text.begin(), text.end(), isAscii))
        return std::u32string(text);
    const std::string bytes = utf8(text);
    utf8proc_uint8_t* result = nullptr;
    const utf8proc_ssize_t size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(bytes.data()),
        static_cast<utf8proc_ssize_t>(bytes.size()), &result,
        static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    const std::unique_ptr<utf8proc_uint8_t, FreeMemory> owner(result);
    if (size < 0)
        throw std::bad_alloc();  // the only possible failure for valid input
    return codePoints({reinterpret_cast<const char*>(result), static_cast<std::size_t>(size)});
}

std::u32string lowerCase(std::u32string_view text)
{
    std::u32string lower;
    lower.reserve(text.size());
    for (const char32_t character : text) {
        if (character == 0x130)  // the one unconditional mapping to several characters in SpecialCasing.txt
            lower += U"i\u0307";
        else
            lower += static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(character)));
    }
    return lower;
}

bool isLetter(char32_t character)
{
    const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(character));
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool isNumber(char32_t character)
{
    const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(character));
    return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
}

bool isWhitespace(char32_t character)
{
    return (character >= 0x9 && character <= 0xD) || character == 0x20 || character == 0x85 || character == 0xA0
        || character == 0x1680 || (character >= 0x2000 && character <= 0x200A) || character == 0x2028
        || character == 0x2029 || character == 0x202F || character == 0x205F || character == 0x3000;
}

std::u32string singleSpaced(std::u32string_view text)
{
    std::u32string spaced;
    spaced.reserve(text.size());
    for (const char32_t character : text) {
        if (!isWhitespace(character))
            spaced += character;
        else if (spaced.empty() || spaced.back() != U' ')
            spaced += U' ';
    }
    return spaced;
}

}  // namespace engine
