// What tokenizers ask of Unicode; the tables are utf8proc's (Unicode 15).
#pragma once
#include <string>
#include <string_view>

namespace engine {

/// Bytes that are not UTF-8 become U+FFFD, one for each longest beginning of a valid sequence (The Unicode Standard,
/// section 3.9, "U+FFFD Substitution of Maximal Subparts").
std::u32string codePoints(std::string_view utf8);

/// @param text code points that are Unicode scalar values.
std::string utf8(std::u32string_view text);

/// Normalization form C. Quadratic in the number of combining marks in a row.
std::u32string composed(std::u32string_view text);

/// Lower case of each character on its own; only U+0130 becomes two characters.
std::u32string lowerCase(std::u32string_view text);

bool isLetter(char32_t character);      ///< general category L
bool isNumber(char32_t character);      ///< general category N
bool isWhitespace(char32_t character);  ///< property White_Space

/// Every run of white space as one space.
std::u32string singleSpaced(std::u32string_view text);

}  // namespace engine
