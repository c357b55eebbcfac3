// Numbers as journals hold them.
#pragma once
#include <charconv>
#include <cmath>
#include <string>

namespace contract {

/// Appends the shortest decimal that parses back to the same double; "NaN", "Infinity" and "-Infinity" in quotes.
inline void appendJsonNumber(std::string& out, double value)
{
    if (std::isnan(value)) {
        out += "\"NaN\"";
    } else if (std::isinf(value)) {
        out += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    } else if (value == 0 && std::signbit(value)) {
        out += "-0.0";  // JSON parsers read "-0" as an integer and lose the sign
    } else {
        char digits[32];
        out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    }
}

}  // namespace contract
