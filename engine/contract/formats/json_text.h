// JSON as text and back, compiled once: the parser and the serializer of nlohmann's library take seconds wherever they are instantiated.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

namespace contract {

/// @throws nlohmann::json::parse_error if @p text is no JSON; its what() says where
nlohmann::json parsedJson(std::string_view text);

/// Returns what is_discarded() if @p text is no JSON.
nlohmann::json parsedOrDiscarded(std::string_view text);

/// One line without spaces, or lines indented by @p indent spaces a level. Bytes that are not UTF-8 become U+FFFD.
std::string jsonText(const nlohmann::json& json, int indent = -1);
std::string jsonText(const nlohmann::ordered_json& json, int indent = -1);

/// Appends a number as journals hold it: the shortest decimal that parses back to the same double; "NaN", "Infinity" and "-Infinity" in quotes.
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
