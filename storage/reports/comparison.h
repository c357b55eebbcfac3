// Compares runs: their options, and their metrics by the last, lowest and highest value and by the value at a common step.
#pragma once
#include "storage/store.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace storage {

enum class Compared {
    Parameter,
    Last,
    Lowest,
    Highest,
    /// The value at the last step that all runs with this metric have recorded. Nothing is interpolated: without such a step,
    /// the row is left out.
    AtCommonStep,
};

struct ComparedValue {
    std::string text;              ///< of a parameter
    std::optional<double> number;  ///< of a metric, or of a parameter that is a number
    bool operator==(const ComparedValue& other) const;  ///< two NaNs are equal
};

struct ComparisonRow {
    Compared what = Compared::Parameter;
    std::string name;               ///< the option's key or the metric
    std::int64_t step = 0;          ///< of AtCommonStep
    std::vector<std::optional<ComparedValue>> values;  ///< of the runs, in their order; nullopt: the run has none

    bool differs() const;  ///< between any two runs
    bool operator==(const ComparisonRow&) const = default;
};

struct Comparison {
    std::vector<std::string> runs;    ///< ids, as asked for, without those that the database does not have
    std::vector<ComparisonRow> rows;  ///< parameters in their order, then the metrics: those of most runs first, of these rewards and losses, others by name
    bool operator==(const Comparison&) const = default;
};

/// Parameters are those of each run's last attempt; metrics are taken as in RunValue.
/// @throws StoreError.
Comparison compareRuns(const Store& store, const std::vector<std::string>& runIds);

/// Removes the rows whose name matches one of @p patterns, in which "*" stands for any characters.
void ignoreRows(Comparison& comparison, const std::vector<std::string>& patterns);

/// How a number differs from the baseline's.
struct Delta {
    double difference = 0;
    std::optional<double> ratio;  ///< nullopt when the baseline is 0 or one of the two is not finite
};
/// nullopt when one of the two is missing or is not a number.
std::optional<Delta> deltaOf(const std::optional<ComparedValue>& value, const std::optional<ComparedValue>& baseline);

/// "optim.lr", "loss, last", "loss at step 300".
std::string titleOf(const ComparisonRow& row);

/// The comparison as CSV: a line for each row, and with @p baseline (an index into runs) the differences and ratios of the others.
/// @param names of the runs, for the heading
std::string toCsv(const Comparison& comparison, const std::vector<std::string>& names, std::optional<std::size_t> baseline);

}  // namespace storage
