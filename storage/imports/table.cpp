#include "storage/imports/table.h"

#include "engine/contract/formats/text.h"
#include "storage/imports/moment.h"
#include "storage/journal_batch.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace storage {
namespace {

std::string lowered(std::string_view text)
{
    std::string out(text);
    for (char& character : out) {
        if (character >= 'A' && character <= 'Z')
            character = static_cast<char>(character - 'A' + 'a');
        else if (character == ' ')
            character = '_';
    }
    return out;
}

}  // namespace

bool isCalled(std::string_view text, std::string_view name) { return text.size() == name.size() && lowered(text) == name; }

std::optional<double> tableNumber(std::string_view text, char decimal)
{
    text = contract::trimmed(text);
    if (text.starts_with('+'))
        text.remove_prefix(1);
    double value = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if (error == std::errc {} && end == last)
        return value;
    if (error == std::errc::result_out_of_range && end == last) {
        const bool isTiny = text.find_first_of("eE") != std::string_view::npos && text.find('-', 1) != std::string_view::npos;
        return std::copysign(isTiny ? 0 : std::numeric_limits<double>::infinity(), text.front() == '-' ? -1.0 : 1.0);
    }
    if (isCalled(text, "true") || isCalled(text, "false"))
        return text.size() == 4 ? 1 : 0;
    if (decimal != 0 && std::ranges::count(text, decimal) == 1) {
        std::string usual(text);
        std::ranges::replace(usual, decimal, '.');
        return tableNumber(usual);
    }
    return std::nullopt;
}

std::optional<int> stepRank(std::string_view name)
{
    constexpr std::array<std::string_view, 13> kNames = {"step", "_step", "global_step", "trainer/global_step", "train/global_step", "steps", "iteration",
        "iter", "iterations", "iters", "it", "epoch", "epochs"};
    const auto* const found = std::ranges::find(kNames, lowered(contract::trimmed(name)));
    return found == kNames.end() ? std::nullopt : std::optional(static_cast<int>(found - kNames.begin()));
}

std::string noStepsIn(const std::filesystem::path& file)
{
    return file.string() + ": holds no steps; name the column or value that has them step, global_step, iteration or epoch";
}

std::string tornSentence(const std::filesystem::path& file)
{
    return file.string() + ": ends within a record, as while it is being written; what comes before was read";
}

bool isTimeName(std::string_view name)
{
    constexpr std::array<std::string_view, 6> kNames = {"wall_time", "walltime", "_timestamp", "timestamp", "datetime", "unix_time"};
    return std::ranges::find(kNames, lowered(contract::trimmed(name))) != kNames.end();
}

double tableSeconds(std::string_view text)
{
    constexpr double kEarliest = 1e8, kLatestSeconds = 1e11, kLatestMs = 1e14;
    const auto number = tableNumber(text);
    if (!number)
        return unixSecondsOf(std::string(contract::trimmed(text).substr(0, 40)));
    if (*number >= kLatestSeconds && *number < kLatestMs)
        return *number / 1000;
    return *number >= kEarliest && *number < kLatestSeconds ? *number : 0;
}

std::optional<std::int64_t> wholeStep(double number)
{
    constexpr double kMost = 9007199254740992;
    const bool isWhole = std::abs(number) <= kMost && number == std::floor(number);
    return isWhole ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
}

std::string noStep(std::string_view cell)
{
    return contract::inQuotes(contract::shortened(cell, 40)) + " is no step, which is a whole number";
}

std::optional<std::size_t> TableWriter::addMetric(std::string_view name)
{
    if (m_metrics.size() == JournalBatch::kMostMetrics)
        return std::nullopt;
    m_metrics.push_back({.name = std::string(name)});
    return m_metrics.size() - 1;
}

bool TableWriter::add(std::size_t metric, double value)
{
    if (m_metrics[metric].row == m_row)
        return false;
    m_metrics[metric].row = m_row;
    m_added.push_back(metric);
    m_numbers.push_back(value);
    return true;
}

bool TableWriter::endRow(std::int64_t step, double unixSeconds)
{
    const bool goesBack = std::ranges::any_of(m_added, [&](std::size_t metric) { return m_metrics[metric].lastStep > step; });
    if (goesBack) {
        for (Metric& metric : m_metrics)
            metric.lastStep = std::numeric_limits<std::int64_t>::min();
    }
    if (goesBack || (m_attempts == 0 && !m_added.empty())) {
        if (++m_attempts > kMostAttempts)
            return false;
        m_writer.beginAttempt({.unixSeconds = unixSeconds, .parentStep = goesBack ? step - 1 : 0});
    }
    m_values.clear();
    for (std::size_t i = 0; i < m_added.size(); ++i) {
        Metric& metric = m_metrics[m_added[i]];
        metric.lastStep = step;
        m_values.push_back({metric.name, m_numbers[i]});
    }
    m_writer.addValues(step, unixSeconds, m_values);
    m_added.clear();
    m_numbers.clear();
    ++m_row;
    return true;
}

void TableWriter::dropRow()
{
    m_dropped += m_added.empty() ? 0 : 1;
    m_added.clear();
    m_numbers.clear();
    ++m_row;
}

bool TableWriter::finish(const std::filesystem::path& file)
{
    if (m_dropped > 0)
        m_writer.warn(file.string() + ": " + std::to_string(m_dropped) + (m_dropped == 1 ? " row without a step was left out" : " rows without a step were left out"));
    m_writer.leaveOut("text", m_texts);
    return m_attempts > 0;
}

}  // namespace storage
