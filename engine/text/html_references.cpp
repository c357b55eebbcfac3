#include "engine/text/html_references.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <sstream>

namespace engine {
namespace {

constexpr char32_t kUnknown = 0xFFFD;
constexpr std::size_t kLongestName = 32;

/// Names and code points of HTML 4 (sections 24.2 to 24.4), and the names without a semicolon that HTML 5 added.
constexpr char kNames[] =
    "quot 34 amp 38 lt 60 gt 62 nbsp 160 iexcl 161 cent 162 pound 163 curren 164 yen 165 brvbar 166 sect 167 uml 168 copy "
    "169 ordf 170 laquo 171 not 172 shy 173 reg 174 macr 175 deg 176 plusmn 177 sup2 178 sup3 179 acute 180 micro 181 para "
    "182 middot 183 cedil 184 sup1 185 ordm 186 raquo 187 frac14 188 frac12 189 frac34 190 iquest 191 Agrave 192 Aacute 193 "
    "Acirc 194 Atilde 195 Auml 196 Aring 197 AElig 198 Ccedil 199 Egrave 200 Eacute 201 Ecirc 202 Euml 203 Igrave 204 "
    "Iacute 205 Icirc 206 Iuml 207 ETH 208 Ntilde 209 Ograve 210 Oacute 211 Ocirc 212 Otilde 213 Ouml 214 times 215 Oslash "
    "216 Ugrave 217 Uacute 218 Ucirc 219 Uuml 220 Yacute 221 THORN 222 szlig 223 agrave 224 aacute 225 acirc 226 atilde 227 "
    "auml 228 aring 229 aelig 230 ccedil 231 egrave 232 eacute 233 ecirc 234 euml 235 igrave 236 iacute 237 icirc 238 iuml "
    "239 eth 240 ntilde 241 ograve 242 oacute 243 ocirc 244 otilde 245 ouml 246 divide 247 oslash 248 ugrave 249 uacute 250 "
    "ucirc 251 uuml 252 yacute 253 thorn 254 yuml 255 OElig 338 oelig 339 Scaron 352 scaron 353 Yuml 376 fnof 402 circ 710 "
    "tilde 732 Alpha 913 Beta 914 Gamma 915 Delta 916 Epsilon 917 Zeta 918 Eta 919 Theta 920 Iota 921 Kappa 922 Lambda 923 "
    "Mu 924 Nu 925 Xi 926 Omicron 927 Pi 928 Rho 929 Sigma 931 Tau 932 Upsilon 933 Phi 934 Chi 935 Psi 936 Omega 937 alpha "
    "945 beta 946 gamma 947 delta 948 epsilon 949 zeta 950 eta 951 theta 952 iota 953 kappa 954 lambda 955 mu 956 nu 957 xi "
    "958 omicron 959 pi 960 rho 961 sigmaf 962 sigma 963 tau 964 upsilon 965 phi 966 chi 967 psi 968 omega 969 thetasym 977 "
    "upsih 978 piv 982 ensp 8194 emsp 8195 thinsp 8201 zwnj 8204 zwj 8205 lrm 8206 rlm 8207 ndash 8211 mdash 8212 lsquo "
    "8216 rsquo 8217 sbquo 8218 ldquo 8220 rdquo 8221 bdquo 8222 dagger 8224 Dagger 8225 bull 8226 hellip 8230 permil 8240 "
    "prime 8242 Prime 8243 lsaquo 8249 rsaquo 8250 oline 8254 frasl 8260 euro 8364 image 8465 weierp 8472 real 8476 trade "
    "8482 alefsym 8501 larr 8592 uarr 8593 rarr 8594 darr 8595 harr 8596 crarr 8629 lArr 8656 uArr 8657 rArr 8658 dArr 8659 "
    "hArr 8660 forall 8704 part 8706 exist 8707 empty 8709 nabla 8711 isin 8712 notin 8713 ni 8715 prod 8719 sum 8721 minus "
    "8722 lowast 8727 radic 8730 prop 8733 infin 8734 ang 8736 and 8743 or 8744 cap 8745 cup 8746 int 8747 there4 8756 sim "
    "8764 cong 8773 asymp 8776 ne 8800 equiv 8801 le 8804 ge 8805 sub 8834 sup 8835 nsub 8836 sube 8838 supe 8839 oplus "
    "8853 otimes 8855 perp 8869 sdot 8901 lceil 8968 rceil 8969 lfloor 8970 rfloor 8971 lang 10216 rang 10217 loz 9674 spades "
    "9824 clubs 9827 hearts 9829 diams 9830 "
    "AMP 38 COPY 169 GT 62 LT 60 QUOT 34 REG 174 apos 39";

const std::map<std::u32string, char32_t, std::less<>>& names()
{
    static const auto table = [] {
        std::map<std::u32string, char32_t, std::less<>> result;
        std::istringstream words(kNames);
        std::string name;
        std::uint32_t code = 0;
        while (words >> name >> code)
            result.emplace(std::u32string(name.begin(), name.end()), static_cast<char32_t>(code));
        return result;
    }();
    return table;
}

bool needsNoSemicolon(std::u32string_view name, char32_t code) { return code < 0x100 && name != U"apos"; }

/// Code points for numeric references that mean characters of Windows-1252.
constexpr std::array<char32_t, 32> kWindows = {0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039,
    0x152, 0x8D, 0x17D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D,
    0x17E, 0x178};

/// Returns an empty text for a code point that is not allowed in text.
std::u32string characterOf(std::uint64_t code)
{
    if (code >= 0x80 && code < 0xA0)
        return {kWindows[code - 0x80]};
    if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        return {kUnknown};
    const bool isControl = (code < 0x20 && code != 0x9 && code != 0xA && code != 0xC && code != 0xD) || code == 0x7F;
    const bool isNone = (code >= 0xFDD0 && code < 0xFDF0) || (code & 0xFFFE) == 0xFFFE;
    return isControl || isNone ? std::u32string() : std::u32string {static_cast<char32_t>(code)};
}

/// The replacement of a reference, and the reference's length.
struct Reference {
    std::u32string text;
    std::size_t length = 0;
};

std::optional<int> digitOf(char32_t character, int base)
{
    int value = -1;
    if (character >= U'0' && character <= U'9')
        value = static_cast<int>(character - U'0');
    else if (const char32_t lower = character | 0x20; lower >= U'a' && lower <= U'f')
        value = static_cast<int>(lower - U'a') + 10;
    return value >= 0 && value < base ? std::optional(value) : std::nullopt;
}

/// @param rest after "&#"
std::optional<Reference> numbered(std::u32string_view rest)
{
    const bool isHexadecimal = !rest.empty() && (rest[0] == U'x' || rest[0] == U'X');
    std::size_t place = isHexadecimal ? 1 : 0;
    std::uint64_t code = 0;
    bool hasDigits = false;
    for (; place < rest.size(); ++place) {
        const auto digit = digitOf(rest[place], isHexadecimal ? 16 : 10);
        if (!digit)
            break;
        hasDigits = true;
        code = std::min<std::uint64_t>(code * (isHexadecimal ? 16 : 10) + static_cast<std::uint64_t>(*digit), 0x110000);
    }
    if (!hasDigits)
        return std::nullopt;
    const bool isClosed = place < rest.size() && rest[place] == U';';
    return Reference {characterOf(code), 2 + place + (isClosed ? 1 : 0)};
}

/// Matches the whole name with its semicolon, or else the longest prefix that needs none. @param rest the text after "&"
std::optional<Reference> named(std::u32string_view rest)
{
    const auto end = rest.substr(0, kLongestName + 1).find_first_of(U"; \t\n\f<&#");
    const std::u32string_view word = rest.substr(0, std::min({end, kLongestName, rest.size()}));
    if (const auto found = names().find(word); found != names().end() && word.size() < rest.size() && rest[word.size()] == U';')
        return Reference {{found->second}, word.size() + 2};
    for (std::size_t length = word.size(); length > 1; --length) {
        const auto found = names().find(word.substr(0, length));
        if (found != names().end() && needsNoSemicolon(found->first, found->second))
            return Reference {{found->second}, length + 1};
    }
    return std::nullopt;
}

}  // namespace

std::u32string replaceHtmlReferences(std::u32string_view text)
{
    std::u32string result;
    result.reserve(text.size());
    while (!text.empty()) {
        std::optional<Reference> reference;
        if (text[0] == U'&')
            reference = text.size() > 1 && text[1] == U'#' ? numbered(text.substr(2)) : named(text.substr(1));
        result += reference ? reference->text : std::u32string(text.substr(0, 1));
        text.remove_prefix(reference ? reference->length : 1);
    }
    return result;
}

}  // namespace engine
