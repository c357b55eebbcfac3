#include "app/cli/format.h"

#include "engine/contract/formats/text.h"

#include <algorithm>
#include <array>
#include <cmath>
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

bool continuesCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

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
    return std::to_string(seconds / 86400) + " days ago";
}

std::size_t displayWidth(std::string_view text)
{
    return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continuesCharacter));
}

std::string printable(std::string_view text)
{
    std::string out;
    for (const char raw : text) {
        const auto byte = static_cast<unsigned char>(raw);
        out += byte < 0x20 || byte == 0x7F ? ' ' : raw;
    }
    return contract::escapedBytes(out);
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
