// Numbers as text, the same in every file that Atelier writes, whatever the locale.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace contract {

/// Shortest decimal that reads back to the same double; "NaN", "Infinity", "-Infinity" otherwise.
std::string shortestText(double value);

/// The whole of @p text as a number; the three words above are understood.
std::optional<double> parseReal(std::string_view text);

/// The whole of @p text as a decimal integer.
std::optional<std::int64_t> parseInteger(std::string_view text);

/// Characters to insert, remove or replace to make one of the other (Levenshtein).
std::size_t editDistance(std::string_view a, std::string_view b);

std::string inQuotes(std::string_view text);  ///< in double ones, for messages

bool isUtf8(std::string_view text);

/// Appends @p text as a JSON string with quotes; bytes that are not UTF-8 become U+FFFD.
void appendJsonString(std::string& out, std::string_view text);

}  // namespace contract
