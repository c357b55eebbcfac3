// Tables with a row for each step and a column for each metric, as CSV and JSON hold them.
#pragma once
#include "storage/imports/run_writer.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace storage {

/// Whether @p text is @p name, which is lower-case, in any case.
bool isCalled(std::string_view text, std::string_view name);

/// The number that a cell holds: also nan, inf, true and false in any case; beyond what a double holds, infinity or 0.
/// @param decimal the other character, besides a point, that may stand before the fraction; 0: none
std::optional<double> tableNumber(std::string_view text, char decimal = 0);

/// How well a column of that name tells the step: 0 the best ("step"), then others ("global_step", "iteration"), "epoch" the worst; nullopt
/// when it does not.
std::optional<int> stepRank(std::string_view name);
/// The sentence for a file in which no column has steps.
std::string noStepsIn(const std::filesystem::path& file);

/// The sentence for a file whose last line, without an end, was left out.
std::string tornSentence(const std::filesystem::path& file);

/// Follows file, line and column when TableWriter::endRow() returns false.
inline constexpr char kGoesBackTooOften[] = "the steps go back for the thousandth time; sort the rows by step";

/// Whether a column of that name tells when a row was recorded.
bool isTimeName(std::string_view name);
/// Unix time in seconds of a cell of such a column, which has seconds, milliseconds, or date and time; 0 when it is none.
double tableSeconds(std::string_view text);

/// A step, which is whole and within what journals hold exactly; nullopt for other numbers.
std::optional<std::int64_t> wholeStep(double number);
/// Says why @p cell is no step.
std::string noStep(std::string_view cell);

/// Writes the rows of a table as one run. A row that goes back, to before a step at which one of its metrics was recorded already, as a log does
/// when its training is resumed, begins a new attempt.
class TableWriter {
public:
    explicit TableWriter(RunWriter& writer)
        : m_writer(writer)
    {
    }

    /// A metric. @return its number, for add(). nullopt when there are as many as a run may have
    std::optional<std::size_t> addMetric(std::string_view name);
    /// Adds a value to the row that endRow() ends. @return false when it has one of this metric already; nothing is added then
    bool add(std::size_t metric, double value);
    void addText() { ++m_texts; }  ///< counts a cell that is left out, because it holds a text
    /// @return false when rows go back too often; the table is not in order then. @param unixSeconds 0: not known
    bool endRow(std::int64_t step, double unixSeconds);
    void dropRow();  ///< leaves out a row that has no step

    /// Says what was left out. @return whether there were any values
    bool finish(const std::filesystem::path& file);

    static constexpr int kMostAttempts = 1000;

private:
    struct Metric {
        std::string name;
        std::int64_t lastStep = std::numeric_limits<std::int64_t>::min();  ///< in this attempt
        std::int64_t row = -1;  ///< the one in which it was added last
    };

    RunWriter& m_writer;
    std::vector<Metric> m_metrics;
    std::vector<std::size_t> m_added;  ///< to the row: metrics,
    std::vector<double> m_numbers;     ///< and their values
    std::vector<NamedValue> m_values;
    std::int64_t m_row = 0;
    std::int64_t m_dropped = 0;
    std::int64_t m_texts = 0;
    int m_attempts = 0;
};

}  // namespace storage
