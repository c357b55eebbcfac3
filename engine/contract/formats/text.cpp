#include "engine/contract/formats/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <new>
#include <vector>

namespace contract {
namespace {

/// Length of the UTF-8 character at the beginning of @p text, which must not be empty; 0 when it is not valid.
std::size_t characterLength(std::string_view text)
{
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    return length > 0 && length <= text.size() && isUtf8(text.substr(0, length)) ? length : 0;
}

}  // namespace

std::string shortestText(double value)
{
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value > 0 ? "Infinity" : "-Infinity";
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    return {digits, end};
}

std::optional<double> parseReal(std::string_view text)
{
    if (text == "NaN")
        return std::numeric_limits<double>::quiet_NaN();
    if (text == "Infinity")
        return std::numeric_limits<double>::infinity();
    if (text == "-Infinity")
        return -std::numeric_limits<double>::infinity();
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

std::optional<std::int64_t> parseInteger(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

std::string inQuotes(std::string_view text)
{
    std::string out;
    appendJsonString(out, text);
    return out;
}

bool isUtf8(std::string_view text)
{
    // Only bytes that are not valid UTF-8 come back changed.
    const auto replaced = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return nlohmann::json::parse(replaced).get_ref<const std::string&>() == text;
}

std::string escapedBytes(std::string_view text)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    while (!text.empty()) {
        const auto byte = static_cast<unsigned char>(text.front());
        const bool isControl = byte < 0x20 || byte == 0x7F;
        const std::size_t length = isControl ? 0 : byte < 0x80 ? 1 : characterLength(text);
        if (length > 0) {
            out += text.substr(0, length);
        } else {
            out.append("\\x").append(1, kDigits[byte >> 4U]).append(1, kDigits[byte & 0xFU]);
        }
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

std::string shortened(std::string_view text, std::size_t maxBytes)
{
    if (text.size() <= maxBytes)
        return std::string(text);
    std::size_t end = maxBytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
        --end;
    return std::string(text.substr(0, end)) + "…";
}

std::string quotedText(std::string_view text) { return inQuotes(shortened(text)); }

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kSpace = " \t\r\n\v\f";
    const std::size_t first = text.find_first_not_of(kSpace);
    return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string sentenceOf(const std::exception& error)
{
    if (const auto* const failure = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
        return failure->path1().string() + ": " + failure->code().message();
    if (dynamic_cast<const std::bad_alloc*>(&error))
        return "there is not enough memory";
    return error.what();
}

void appendJsonString(std::string& out, std::string_view text)
{
    for (const char character : nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) {
        if (character == '\x7f')
            out += "\\u007F";  // JSON allows it as it is; terminals obey it, and TOML does not allow it
        else
            out += character;
    }
}

}  // namespace contract
