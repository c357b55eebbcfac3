// Formats numbers, times and tables for a terminal.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace app {

std::string formatNumber(double value);          ///< 4 significant digits: "0.3127", "1.2e-05", "NaN"
std::string formatCount(std::int64_t value);     ///< "1,797"
std::string formatRate(double value);            ///< 3 significant digits, from 1,000 on a whole number: "0.312", "12.3", "1,204"
std::string formatBytes(std::uint64_t bytes);    ///< "80.1 GB", with powers of 1000
std::string formatDuration(std::chrono::milliseconds time);  ///< "4 s", "1 min 20 s", "2 h 05 min"
std::string formatPercent(double fraction);      ///< "97.5 %"
std::string formatTime(std::int64_t unixMs);     ///< "2026-11-21 10:15:00", local time
std::string formatAge(std::int64_t unixMs);      ///< "3 min ago"; the date when it is months ago

/// A table whose columns are as wide as their widest cell and two spaces apart; the last column is not padded.
class Table {
public:
    enum class Align { Left, Right };
    struct Column {
        std::string title;
        Align align = Align::Left;
    };

    explicit Table(std::vector<Column> columns);
    void addRow(std::vector<std::string> cells);
    bool isEmpty() const { return m_rows.empty(); }
    std::string text() const;

private:
    std::vector<Column> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

/// Cells of a terminal that UTF-8 @p text takes up: two for a wide character, none for a combining one.
std::size_t displayWidth(std::string_view text);
/// The beginning of @p text that takes up at most @p cells cells.
std::string firstCells(std::string_view text, std::size_t cells);

/// Replaces control characters, and those that change the direction of writing, by spaces; bytes that are not valid UTF-8 are
/// written as \xNN. Use it for text from files (names, causes, log lines), so that control sequences do not reach the terminal.
std::string printable(std::string_view text);

}  // namespace app
