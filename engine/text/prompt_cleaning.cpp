#include "engine/text/prompt_cleaning.h"

#include "engine/text/html_references.h"
#include "engine/text/unicode.h"

#include <map>

namespace engine {
namespace {

bool isDropped(char32_t c)
{
    return c <= 0x8 || c == 0xB || (c >= 0xE && c < 0x20) || c == 0x7F || (c >= 0x206A && c <= 0x206F) || c == 0xFEFF
        || (c >= 0xFFF9 && c <= 0xFFFC);
}

const std::map<char32_t, std::u32string>& ligatures()
{
    static const std::map<char32_t, std::u32string> table = {{U'Ĳ', U"IJ"}, {U'ĳ', U"ij"}, {U'ŉ', U"ʼn"}, {U'Ǆ', U"DŽ"}, {U'ǅ', U"Dž"},
        {U'ǆ', U"dž"}, {U'Ǉ', U"LJ"}, {U'ǈ', U"Lj"}, {U'ǉ', U"lj"}, {U'Ǌ', U"NJ"}, {U'ǋ', U"Nj"}, {U'ǌ', U"nj"}, {U'Ǳ', U"DZ"},
        {U'ǲ', U"Dz"}, {U'ǳ', U"dz"}, {U'\uFB00', U"ff"}, {U'\uFB01', U"fi"}, {U'\uFB02', U"fl"}, {U'\uFB03', U"ffi"},
        {U'\uFB04', U"ffl"}, {U'\uFB05', U"ſt"}, {U'\uFB06', U"st"}};
    return table;
}

char32_t plain(char32_t c)
{
    if (c == 0x2BC || (c >= 0x2018 && c <= 0x201B))
        return U'\'';
    if (c >= 0x201C && c <= 0x201F)
        return U'"';
    if (c >= 0xFF01 && c <= 0xFF5E)  // full-width ASCII
        return c - 0xFEE0;
    if (c == 0x85 || c == 0x2028 || c == 0x2029)
        return U'\n';
    return c == 0x3000 ? U' ' : c;
}

std::u32string retyped(std::u32string_view text)
{
    std::u32string spread;
    for (const char32_t c : text) {
        const auto ligature = ligatures().find(c);
        spread += ligature == ligatures().end() ? std::u32string(1, c) : ligature->second;
    }
    std::u32string result;
    for (const char32_t c : spread) {
        if (!isDropped(c))
            result += plain(c);
    }
    return composed(result);
}

}  // namespace

std::string cleanedPrompt(std::string_view prompt)
{
    std::u32string text = singleSpaced(replaceHtmlReferences(replaceHtmlReferences(retyped(codePoints(prompt)))));
    if (text.ends_with(U' '))
        text.pop_back();
    if (text.starts_with(U' '))
        text.erase(0, 1);
    return utf8(text);
}

}  // namespace engine
