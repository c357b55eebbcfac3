#include "app/cli/format.h"

#include "engine/contract/formats/text.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>

namespace app {
namespace {

template <typename... Values>
std::string printed(const char* format, Values... values)
{
    std::array<char, 64> text {};
    const int length = std::snprintf(text.data(), text.size(), format, values...);
    return {text.data(), static_cast<std::size_t>(std::max(length, 0))};
}

struct Character {
    std::int32_t code = 0;
    std::string_view bytes;
};

/// Takes the first character off @p text, which must not be empty; a byte that is not valid UTF-8 counts as one.
Character takeCharacter(std::string_view& text)
{
    utf8proc_int32_t code = 0;
    const auto length = utf8proc_iterate(
        reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()), &code);
    const std::size_t bytes = length > 0 ? static_cast<std::size_t>(length) : 1;
    const Character character {length > 0 ? code : '?', text.substr(0, bytes)};
    text.remove_prefix(bytes);
    return character;
}

/// Whether a terminal obeys the character, or shows what follows in another order.
bool isHarmful(std::int32_t code)
{
    switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_CC:  // U+0080 to U+009F too, which some terminals obey
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
        return true;
    default:
        return false;
    }
}

std::size_t cellsOf(const Character& character) { return static_cast<std::size_t>(std::max(0, utf8proc_charwidth(character.code))); }

}  // namespace

std::string formatNumber(double value)
{
    return std::isfinite(value) ? printed("%.4g", value) : contract::shortestText(value);
}

std::string formatCount(std::int64_t value)
{
    std::string digits = std::to_string(value);
    const std::size_t first = value < 0 ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) {
        at -= 3;
        digits.insert(at, 1, ',');
    }
    return digits;
}

std::string formatRate(double value)
{
    constexpr double kFewestWhole = 999.5;
    return std::abs(value) < kFewestWhole || !std::isfinite(value) ? printed("%.3g", value) : formatCount(std::llround(value));
}

std::string formatBytes(std::uint64_t bytes)
{
    constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB", "PB"};
    auto size = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; size >= 999.95 && unit + 1 < kUnits.size(); ++unit)
        size /= 1000;
    return unit == 0 ? printed("%.0f B", size) : printed("%.1f %s", size, kUnits.at(unit));
}

std::string formatDuration(std::chrono::milliseconds time)
{
    const std::int64_t seconds = std::max<std::int64_t>(0, (time.count() + 500) / 1000);
    if (seconds < 60)
        return std::to_string(seconds) + " s";
    if (seconds < 3600)
        return printed("%d min %02d s", static_cast<int>(seconds / 60), static_cast<int>(seconds % 60));
    return formatCount(seconds / 3600) + printed(" h %02d min", static_cast<int>(seconds / 60 % 60));
}

std::string formatPercent(double fraction) { return printed("%.1f %%", fraction * 100); }

std::string formatTime(std::int64_t unixMs)
{
    const auto seconds = static_cast<std::time_t>(unixMs / 1000);
    std::tm local {};
    ::localtime_r(&seconds, &local);
    std::array<char, 32> text {};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local)};
}

std::string formatAge(std::int64_t unixMs)
{
    using namespace std::chrono;
    const auto now = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
    const std::int64_t seconds = std::max<std::int64_t>(0, (now - unixMs) / 1000);
    if (seconds < 60)
        return std::to_string(seconds) + " s ago";
    if (seconds < 3600)
        return std::to_string(seconds / 60) + " min ago";
    if (seconds < 48 * 3600)
        return std::to_string(seconds / 3600) + " h ago";
    if (seconds < 60 * 86400)
        return std::to_string(seconds / 86400) + " days ago";
    return formatTime(unixMs).substr(0, std::string_view("2026-11-21").size());
}

std::size_t displayWidth(std::string_view text)
{
    std::size_t cells = 0;
    while (!text.empty())
        cells += cellsOf(takeCharacter(text));
    return cells;
}

std::string firstCells(std::string_view text, std::size_t cells)
{
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t begin = text.size() - rest.size();
        const std::size_t width = cellsOf(takeCharacter(rest));
        if (width > cells)
            return std::string(text.substr(0, begin));
        cells -= width;
    }
    return std::string(text);
}

std::string printable(std::string_view text)
{
    std::string spaced(text);
    std::ranges::replace_if(spaced, [](char byte) { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F; }, ' ');
    const std::string valid = contract::escapedBytes(spaced);
    std::string out;
    for (std::string_view rest = valid; !rest.empty();) {
        const Character character = takeCharacter(rest);
        if (isHarmful(character.code))
            out += ' ';
        else
            out += character.bytes;
    }
    return out;
}

Table::Table(std::vector<Column> columns)
    : m_columns(std::move(columns))
{
}

void Table::addRow(std::vector<std::string> cells)
{
    for (std::string& cell : cells)
        cell = printable(cell);
    cells.resize(m_columns.size());
    m_rows.push_back(std::move(cells));
}

std::string Table::text() const
{
    std::vector<std::size_t> widths;
    for (std::size_t column = 0; column < m_columns.size(); ++column) {
        widths.push_back(displayWidth(m_columns[column].title));
        for (const auto& row : m_rows)
            widths.back() = std::max(widths.back(), displayWidth(row[column]));
    }
    std::string out;
    const auto addLine = [&](const auto& cellOf) {
        for (std::size_t column = 0; column < m_columns.size(); ++column) {
            const std::string& cell = cellOf(column);
            const std::string padding(widths[column] - displayWidth(cell), ' ');
            const bool isLast = column + 1 == m_columns.size();
            const bool isRight = m_columns[column].align == Align::Right;
            out += (isRight ? padding : "") + cell + (isRight || isLast ? "" : padding);
            out += isLast ? "\n" : "  ";
        }
    };
    addLine([&](std::size_t column) -> const std::string& { return m_columns[column].title; });
    for (const auto& row : m_rows)
        addLine([&](std::size_t column) -> const std::string& { return row[column]; });
    return out;
}

}  // namespace app
