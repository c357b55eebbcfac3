// Locale-independent conversions between numbers and text, and text helpers for messages and JSON.
#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace contract {

/// Shortest decimal that parses back to the same double; "NaN", "Infinity" or "-Infinity" for non-finite values.
std::string shortestText(double value);

/// Parses all of @p text as a number; accepts the three words that shortestText() writes. Nullopt when it is not a number.
std::optional<double> parseReal(std::string_view text);

/// Parses all of @p text as a decimal integer. Nullopt when it is not one or does not fit.
std::optional<std::int64_t> parseInteger(std::string_view text);

/// Levenshtein distance: the number of bytes to insert, remove or replace to turn one text into the other.
std::size_t editDistance(std::string_view a, std::string_view b);

/// @p text as a TOML basic string: in double quotes, with escapes.
std::string inQuotes(std::string_view text);

bool isUtf8(std::string_view text);

/// @p text with each control character and each byte that is not part of valid UTF-8 written as \xNN, for messages.
std::string escapedBytes(std::string_view text);

/// The beginning of @p text, for messages: at most @p maxBytes bytes of whole characters, and "…" when something was cut off.
std::string shortened(std::string_view text, std::size_t maxBytes = 200);

/// The beginning of @p text in double quotes, as a message names a value.
std::string quotedText(std::string_view text);

/// @p text without the ASCII white space at both of its ends.
std::string_view trimmed(std::string_view text);

/// What @p error says, fit for a message: its what(), but only path and cause of a std::filesystem::filesystem_error (whose
/// what() begins with "filesystem error: cannot rename:"), and words for a std::bad_alloc.
std::string sentenceOf(const std::exception& error);

/// Appends @p text as a quoted JSON string; bytes that are not UTF-8 become U+FFFD.
void appendJsonString(std::string& out, std::string_view text);

}  // namespace contract
