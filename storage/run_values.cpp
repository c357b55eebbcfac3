#include "storage/run_values.h"

#include "storage/run_queries.h"
#include "storage/series_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace storage {
namespace {

using Limits = std::numeric_limits<std::int64_t>;

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

/// A series of the rank that stands for its run.
struct Series {
    std::int64_t key = 0;
    int rank = 0;
    int attempt = 1;
    std::int64_t lastStep = 0;
    double last = 0;
    std::optional<double> minimum;  ///< nullopt: not stored
    std::optional<double> maximum;
};

struct RunSeries {
    std::string id;
    std::vector<Series> attempts;  ///< by number
};

/// Keys of the runs from @p first to @p last that have more than one attempt.
std::set<std::int64_t> resumedRuns(Database& database, std::int64_t first, std::int64_t last)
{
    std::set<std::int64_t> runs;
    Query row = database.query("SELECT run FROM attempt WHERE number > 1 AND run BETWEEN ?1 AND ?2"
                               " UNION SELECT run FROM progress WHERE attempt > 1 AND run BETWEEN ?1 AND ?2");
    row.bind(first, last);
    while (row.step())
        runs.insert(row.integer(0));
    return runs;
}

/// @return by the runs' keys
std::map<std::int64_t, RunSeries> readSeriesOf(Database& database, const std::string& metric, std::int64_t first, std::int64_t last)
{
    std::map<std::int64_t, RunSeries> runs;
    std::map<std::int64_t, std::int64_t> ranks;
    Query row = database.query("SELECT run.key, run.id, rank, attempt, series.key, last_step, last_bits, minimum_bits, maximum_bits"
                               " FROM series JOIN run ON run.key = series.run WHERE metric = ? AND series.run BETWEEN ? AND ?"
                               " ORDER BY run.key, rank, attempt");
    row.bind(metric, first, last);
    while (row.step()) {
        const std::int64_t run = row.integer(0);
        if (ranks.try_emplace(run, row.integer(2)).first->second != row.integer(2))
            continue;
        RunSeries& series = runs[run];
        series.id = row.text(1);
        series.attempts.push_back({row.integer(4), static_cast<int>(row.integer(2)), static_cast<int>(row.integer(3)), row.integer(5), row.bits(6),
            row.isNull(7) ? std::nullopt : std::optional(row.bits(7)), row.isNull(8) ? std::nullopt : std::optional(row.bits(8))});
    }
    return runs;
}

/// The lowest or highest finite value of @p series up to the step @p limit; NaN when there is none.
double extremeOf(Database& database, const Series& series, RunField::Kind kind, std::int64_t limit)
{
    const std::optional<double>& stored = kind == RunField::Kind::Lowest ? series.minimum : series.maximum;
    if (stored && series.lastStep <= limit)
        return *stored;
    const SeriesRange range = readRange(database, series.key, Limits::min(), limit, 1);
    double value = kNoValue;
    for (const Point& point : range.points)
        value = std::isfinite(point.value) ? point.value : kNoValue;
    for (const Bucket& bucket : range.buckets)
        value = kind == RunField::Kind::Lowest ? bucket.minimum : bucket.maximum;
    return value;
}

/// @param lineage nullopt: the run has one attempt
/// @return nullopt when all points are superseded
std::optional<RunValue> numberOf(Database& database, const RunSeries& run, RunField::Kind kind, const std::optional<contract::Lineage>& lineage)
{
    std::optional<RunValue> result;
    for (const Series& series : run.attempts) {
        const std::int64_t limit = lineage ? lastValidStep(*lineage, series.attempt, series.rank) : Limits::max();
        if (limit == Limits::min())
            continue;
        if (kind == RunField::Kind::Last) {
            if (series.lastStep <= limit)
                result = {run.id, {}, series.last, series.lastStep};
            else if (const auto point = readPointAt(database, series.key, limit))
                result = {run.id, {}, point->value, point->step};
        } else {
            const double value = extremeOf(database, series, kind, limit);
            const double known = result ? result->number : kNoValue;
            result = {run.id, {}, kind == RunField::Kind::Lowest ? std::fmin(known, value) : std::fmax(known, value)};  // they ignore a NaN
        }
    }
    return result;
}

std::vector<RunValue> readNumbers(Database& database, const RunField& field, std::int64_t first, std::int64_t last)
{
    const auto resumed = resumedRuns(database, first, last);
    std::vector<RunValue> values;
    for (const auto& [key, run] : readSeriesOf(database, field.name, first, last)) {
        const auto lineage = resumed.contains(key) ? std::optional(readLineage(database, key)) : std::nullopt;
        if (auto value = numberOf(database, run, field.kind, lineage))
            values.push_back(std::move(*value));
    }
    return values;
}

std::vector<RunValue> readTexts(Database& database, const std::string& name, std::int64_t first, std::int64_t last)
{
    std::vector<RunValue> values;
    Query row = database.query("SELECT run.id, value FROM parameter JOIN run ON run.key = parameter.run"
                               " WHERE parameter.key = (SELECT key FROM parameter_key WHERE name = ?) AND parameter.run BETWEEN ? AND ?"
                               " ORDER BY parameter.run, attempt");
    row.bind(name, first, last);
    while (row.step()) {
        if (values.empty() || values.back().run != row.text(0))
            values.push_back({row.text(0), {}, 0, 0});
        values.back().text = row.text(1);
    }
    return values;
}

}  // namespace

double largestLast(const std::vector<SeriesRow>& series, std::string_view metric)
{
    int newest = 0;
    double most = 0;
    for (const SeriesRow& row : series) {
        if (row.metric != metric || !row.last || row.attempt < newest)
            continue;
        most = std::max(row.attempt > newest ? 0 : most, *row.last);
        newest = row.attempt;
    }
    return most;
}

std::vector<RunValue> readValues(Database& database, const RunField& field, const std::string& runId)
{
    std::int64_t first = 1;
    std::int64_t last = Limits::max();
    if (!runId.empty())
        first = last = keyOf(database, runId);
    return field.kind == RunField::Kind::Parameter ? readTexts(database, field.name, first, last)
                                                   : readNumbers(database, field, first, last);
}

FieldNames readFieldNames(Database& database)
{
    FieldNames names;
    Query parameter = database.query("SELECT name FROM parameter_key ORDER BY key");
    while (parameter.step())
        names.parameters.push_back(parameter.text(0));
    // Looks each name up in the index: SELECT DISTINCT would read an entry for every series.
    Query metric = database.query("WITH RECURSIVE name(text) AS (SELECT min(metric) FROM series"
                                  " UNION ALL SELECT (SELECT min(metric) FROM series WHERE metric > text) FROM name WHERE text IS NOT NULL)"
                                  " SELECT text FROM name WHERE text IS NOT NULL");
    while (metric.step())
        names.metrics.push_back(metric.text(0));
    return names;
}

}  // namespace storage
