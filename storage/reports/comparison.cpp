#include "storage/reports/comparison.h"

#include "engine/contract/formats/name_pattern.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/journal.h"
#include "storage/exports/csv.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace storage {
namespace {

using FieldKind = RunField::Kind;

ComparedValue parameterValue(const std::string& text)
{
    return {text, contract::parseReal(text)};
}

/// The rows of all parameters, in the order of the first run that has each.
std::vector<ComparisonRow> compareParameters(const Store& store, const std::vector<std::string>& runs)
{
    std::vector<ComparisonRow> rows;
    std::map<std::string, std::size_t> places;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const auto attempts = store.attempts(runs[run]);
        for (const ParameterRow& parameter : attempts.empty() ? std::vector<ParameterRow>()
            : store.parameters(runs[run], attempts.back().number)) {
            const auto [place, isNew] = places.try_emplace(parameter.key, rows.size());
            if (isNew)
                rows.push_back({Compared::Parameter, parameter.key, 0, std::vector<std::optional<ComparedValue>>(runs.size())});
            rows[place->second].values[run] = parameterValue(parameter.value);
        }
    }
    return rows;
}

/// The series of one metric of the rank that stands for its run, by attempt.
using Line = std::vector<SeriesRow>;

std::map<std::string, Line> linesOf(const Store& store, const std::string& run)
{
    std::map<std::string, Line> lines;
    for (SeriesRow& row : store.series(run)) {  // by metric, rank and attempt
        if (row.rank == contract::kHostRank)
            continue;
        Line& line = lines[row.metric];
        if (line.empty() || line.front().rank == row.rank)
            line.push_back(std::move(row));
    }
    return lines;
}

/// The last point at or before @p step that is not superseded.
std::optional<Point> pointAt(const Store& store, const Line& line, std::int64_t step)
{
    for (auto series = line.rbegin(); series != line.rend(); ++series) {
        const std::int64_t limit = std::min(step, series->supersededAfter.value_or(std::numeric_limits<std::int64_t>::max()));
        if (series->firstStep > limit)
            continue;
        if (const auto point = store.pointAt(series->id, limit))
            return point;
    }
    return std::nullopt;
}

/// The values at the last step that all @p lines have; a missing line has none.
std::optional<ComparisonRow> compareAtCommonStep(const Store& store, const std::string& metric, const std::vector<const Line*>& lines)
{
    std::int64_t step = std::numeric_limits<std::int64_t>::max();
    while (true) {
        ComparisonRow row {Compared::AtCommonStep, metric, 0, std::vector<std::optional<ComparedValue>>(lines.size())};
        std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
        std::int64_t highest = std::numeric_limits<std::int64_t>::min();
        for (std::size_t run = 0; run < lines.size(); ++run) {
            if (!lines[run])
                continue;
            const auto point = pointAt(store, *lines[run], step);
            if (!point)
                return std::nullopt;
            row.values[run] = ComparedValue {{}, point->value};
            lowest = std::min(lowest, point->step);
            highest = std::max(highest, point->step);
        }
        if (lowest == highest) {
            row.step = lowest;
            return row;
        }
        step = lowest;
    }
}

/// Those that most runs have come first, and among these what runs are judged by.
std::vector<std::string> inOrder(const std::map<std::string, std::size_t>& runsOf)
{
    static const std::vector<std::string> first = {"judge/reward", contract::metric::kReward, "critic/gold/mean", contract::metric::kValidationLoss, contract::metric::kLoss};
    std::vector<std::string> metrics;
    for (const auto& [metric, runs] : runsOf)
        metrics.push_back(metric);
    const auto place = [&](const std::string& metric) {
        return std::pair(-static_cast<std::ptrdiff_t>(runsOf.at(metric)), std::ranges::find(first, metric) - first.begin());
    };
    std::ranges::stable_sort(metrics, {}, place);
    return metrics;
}

void compareMetrics(const Store& store, const std::vector<std::string>& runs, std::vector<ComparisonRow>& rows)
{
    std::vector<std::map<std::string, Line>> lines;
    std::map<std::string, std::size_t> runsOf;  ///< how many runs have a metric
    for (const std::string& run : runs) {
        lines.push_back(linesOf(store, run));
        for (const auto& [metric, line] : lines.back())
            ++runsOf[metric];
    }
    constexpr std::pair<Compared, FieldKind> kNumbers[]
        = {{Compared::Last, FieldKind::Last}, {Compared::Lowest, FieldKind::Lowest}, {Compared::Highest, FieldKind::Highest}};
    for (const std::string& metric : inOrder(runsOf)) {
        for (const auto& [what, kind] : kNumbers) {
            ComparisonRow row {what, metric, 0, std::vector<std::optional<ComparedValue>>(runs.size())};
            for (std::size_t run = 0; run < runs.size(); ++run) {
                for (const RunValue& value : lines[run].contains(metric) ? store.values({kind, metric}, runs[run])
                    : std::vector<RunValue>())
                    row.values[run] = ComparedValue {{}, value.number};
            }
            rows.push_back(std::move(row));
        }
        std::vector<const Line*> withMetric;
        for (const auto& ofRun : lines) {
            const auto found = ofRun.find(metric);
            withMetric.push_back(found == ofRun.end() ? nullptr : &found->second);
        }
        if (auto row = compareAtCommonStep(store, metric, withMetric))
            rows.push_back(std::move(*row));
    }
}

std::string csvValue(const std::optional<ComparedValue>& value)
{
    if (!value)
        return {};
    return value->text.empty() && value->number ? contract::shortestText(*value->number) : csvCell(value->text);
}

}  // namespace

bool ComparedValue::operator==(const ComparedValue& other) const
{
    const bool isSameNumber = number == other.number || (number && other.number && std::isnan(*number) && std::isnan(*other.number));
    return text == other.text && isSameNumber;
}

bool ComparisonRow::differs() const
{
    return std::ranges::any_of(values, [this](const auto& value) { return !(value == values.front()); });
}

Comparison compareRuns(const Store& store, const std::vector<std::string>& runIds)
{
    Comparison comparison;
    for (const std::string& run : runIds) {
        if (store.run(run))
            comparison.runs.push_back(run);
    }
    comparison.rows = compareParameters(store, comparison.runs);
    compareMetrics(store, comparison.runs, comparison.rows);
    return comparison;
}

void ignoreRows(Comparison& comparison, const std::vector<std::string>& patterns)
{
    std::erase_if(comparison.rows, [&](const ComparisonRow& row) {
        return std::ranges::any_of(patterns, [&](const std::string& pattern) { return contract::matchesPattern(row.name, pattern); });
    });
}

std::optional<Delta> deltaOf(const std::optional<ComparedValue>& value, const std::optional<ComparedValue>& baseline)
{
    if (!value || !baseline || !value->number || !baseline->number)
        return std::nullopt;
    Delta delta {*value->number - *baseline->number, std::nullopt};
    const double ratio = *value->number / *baseline->number;
    if (std::isfinite(ratio) && std::isfinite(*baseline->number))
        delta.ratio = ratio;
    return delta;
}

std::string titleOf(const ComparisonRow& row)
{
    switch (row.what) {
    case Compared::Last:
        return row.name + ", last";
    case Compared::Lowest:
        return row.name + ", lowest";
    case Compared::Highest:
        return row.name + ", highest";
    case Compared::AtCommonStep:
        return row.name + " at step " + std::to_string(row.step);
    default:
        return row.name;
    }
}

std::string toCsv(const Comparison& comparison, const std::vector<std::string>& names, std::optional<std::size_t> baseline)
{
    std::string text = "what";
    for (std::size_t run = 0; run < comparison.runs.size(); ++run) {
        text += "," + csvCell(names[run]);
        if (baseline && run != *baseline)
            text += "," + csvCell(names[run] + " - " + names[*baseline]) + "," + csvCell(names[run] + " / " + names[*baseline]);
    }
    text += "\n";
    for (const ComparisonRow& row : comparison.rows) {
        text += csvCell(titleOf(row));
        for (std::size_t run = 0; run < comparison.runs.size(); ++run) {
            text += "," + csvValue(row.values[run]);
            if (!baseline || run == *baseline)
                continue;
            const auto delta = deltaOf(row.values[run], row.values[*baseline]);
            text += "," + (delta ? contract::shortestText(delta->difference) : "") + ","
                + (delta && delta->ratio ? contract::shortestText(*delta->ratio) : "");
        }
        text += "\n";
    }
    return text;
}

}  // namespace storage
