// The Unicode functions that tokenizers need, with the tables of utf8proc (Unicode 15).
#pragma once
#include <string>
#include <string_view>

namespace engine {

/// Decodes UTF-8. Each maximal invalid subsequence becomes one U+FFFD (The Unicode Standard, section 3.9, "U+FFFD Substitution
/// of Maximal Subparts").
std::u32string codePoints(std::string_view utf8);

/// Encodes as UTF-8. @param text must consist of Unicode scalar values
std::string utf8(std::u32string_view text);

/// Converts to normalization form C. Quadratic in the number of consecutive combining marks.
std::u32string composed(std::u32string_view text);

/// Converts each character separately to lower case; only U+0130 becomes two characters.
std::u32string lowerCase(std::u32string_view text);

bool isLetter(char32_t character);      ///< general category L
bool isNumber(char32_t character);      ///< general category N
bool isWhitespace(char32_t character);  ///< property White_Space

/// Replaces every run of white space with one space.
std::u32string singleSpaced(std::u32string_view text);

}  // namespace engine
