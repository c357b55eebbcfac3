// atelier metrics
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "engine/contract/formats/text.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>

namespace app {
namespace {

constexpr std::int64_t kEveryPoint = std::numeric_limits<std::int32_t>::max();

struct MetricsRequest {
    std::string run;
    std::vector<std::string> metrics;  ///< empty: the names of all
    std::optional<int> rank;           ///< nullopt: the lowest that has the metric
    std::int64_t firstStep = 0;
    std::int64_t lastStep = std::numeric_limits<std::int64_t>::max();
    std::int64_t points = 200;  ///< of a series, about; more are summarised
    bool isExact = false;
    bool isJson = false;
};

/// The series that the request is about, in the order of their attempts.
std::vector<storage::SeriesRow> chosen(const std::vector<storage::SeriesRow>& all, const std::string& metric, const MetricsRequest& request)
{
    std::vector<storage::SeriesRow> rows;
    for (const storage::SeriesRow& row : all) {
        if (row.metric == metric && row.points > 0 && (!request.rank || row.rank == *request.rank))
            rows.push_back(row);
    }
    const auto lowest = std::ranges::min_element(rows, {}, &storage::SeriesRow::rank);
    if (lowest != rows.end())
        std::erase_if(rows, [rank = lowest->rank](const storage::SeriesRow& row) { return row.rank != rank; });
    std::ranges::sort(rows, {}, &storage::SeriesRow::attempt);
    return rows;
}

/// @throws Failure when there is no such series
std::vector<storage::SeriesRow> seriesNamed(
    const std::vector<storage::SeriesRow>& all, const std::string& run, const std::string& metric, const MetricsRequest& request)
{
    std::vector<storage::SeriesRow> rows = chosen(all, metric, request);
    if (rows.empty())
        throw Failure("run " + run + " has no values of " + contract::inQuotes(contract::shortened(metric))
            + (request.rank ? " of rank " + std::to_string(*request.rank) : "") + ": `atelier metrics " + run + "` lists its metrics");
    return rows;
}

/// What is left of @p row when later attempts have superseded its end.
storage::SeriesRange rangeOf(const storage::Store& store, const storage::SeriesRow& row, const MetricsRequest& request)
{
    const std::int64_t last = std::min(request.lastStep, row.supersededAfter.value_or(request.lastStep));
    return store.range(row.id, request.firstStep, last, request.isExact ? kEveryPoint : std::max<std::int64_t>(request.points, 8));
}

Json rangeJson(const storage::SeriesRow& row, const storage::SeriesRange& range)
{
    Json json {{"metric", row.metric}, {"rank", row.rank}, {"attempt", row.attempt}, {"values", range.totalPoints}, {"exact", range.isExact}};
    Json& list = json[range.isExact ? "points" : "summaries"] = Json::array();
    for (const storage::Point& point : range.points)
        list.push_back({point.step, jsonNumber(point.value)});
    for (const storage::Bucket& bucket : range.buckets)
        list.push_back({bucket.firstStep, bucket.lastStep, bucket.count, jsonNumber(bucket.minimum), jsonNumber(bucket.maximum),
            jsonNumber(bucket.last), bucket.nonFinite});
    return json;
}

void addRows(Table& table, const storage::SeriesRow& row, const storage::SeriesRange& range)
{
    for (const storage::Point& point : range.points)
        table.addRow({row.metric, std::to_string(row.rank), formatCount(point.step), contract::shortestText(point.value)});
    for (const storage::Bucket& bucket : range.buckets)
        table.addRow({row.metric, std::to_string(row.rank), formatCount(bucket.firstStep) + " to " + formatCount(bucket.lastStep),
            formatNumber(bucket.minimum) + " to " + formatNumber(bucket.maximum) + ", last " + formatNumber(bucket.last)});
}

/// @p row without the values that later attempts have superseded.
storage::SeriesRow inHistory(const storage::Store& store, storage::SeriesRow row)
{
    if (!row.supersededAfter)
        return row;
    const storage::SeriesRange left = store.range(row.id, row.firstStep, *row.supersededAfter, 1);
    row.points = left.totalPoints;
    if (row.points > 0)
        row.lastStep = left.isExact ? left.points.back().step : left.buckets.back().lastStep;
    return row;
}

ExitCode listMetrics(const storage::Store& store, const std::vector<storage::SeriesRow>& series, const std::string& run, bool isJson)
{
    using enum Table::Align;
    Table table({{"METRIC"}, {"RANKS", Right}, {"VALUES", Right}, {"STEPS"}, {"LAST", Right}});
    Json list = Json::array();
    std::map<std::string, std::vector<storage::SeriesRow>> byName;
    for (const storage::SeriesRow& whole : series) {
        if (const storage::SeriesRow row = inHistory(store, whole); row.points > 0)
            byName[row.metric].push_back(row);
    }
    for (const auto& [name, rows] : byName) {
        std::vector<int> ranks;
        std::int64_t values = 0, first = rows.front().firstStep, last = 0;
        for (const storage::SeriesRow& row : rows) {
            if (std::ranges::find(ranks, row.rank) == ranks.end())
                ranks.push_back(row.rank);
            values += row.points;
            first = std::min(first, row.firstStep);
            last = std::max(last, row.lastStep);
        }
        std::ranges::sort(ranks);
        const auto latest = store.values({storage::RunField::Kind::Last, name}, run);
        table.addRow({name, std::to_string(ranks.size()), formatCount(values), formatCount(first) + " to " + formatCount(last),
            latest.empty() ? "" : formatNumber(latest.front().number)});
        list.push_back({{"metric", name}, {"ranks", ranks}, {"values", values}, {"first_step", first}, {"last_step", last},
            {"last", latest.empty() ? Json(nullptr) : jsonNumber(latest.front().number)}});
    }
    if (isJson)
        printJson({{"run", run}, {"metrics", list}});
    else
        printText(table.isEmpty() ? "Run " + run + " has no values yet.\n" : table.text());
    return kSuccess;
}

ExitCode metrics(const MetricsRequest& request)
{
    const launcher::DataHome home = existingHome();
    const std::string run = findRun(home, request.run).id();
    const storage::Store store = openCatalogue(home);
    const std::vector<storage::SeriesRow> all = store.series(run);
    if (request.metrics.empty())
        return listMetrics(store, all, run, request.isJson);
    Json list = Json::array();
    using enum Table::Align;
    Table table({{"METRIC"}, {"RANK", Right}, {"STEP", Right}, {"VALUE"}});
    for (const std::string& metric : request.metrics) {
        for (const storage::SeriesRow& row : seriesNamed(all, run, metric, request)) {
            const storage::SeriesRange range = rangeOf(store, row, request);
            if (range.totalPoints == 0)
                continue;
            list.push_back(rangeJson(row, range));
            addRows(table, row, range);
        }
    }
    if (request.isJson)
        printJson({{"run", run}, {"point_columns", {"step", "value"}},
            {"summary_columns", {"first_step", "last_step", "values", "lowest", "highest", "last", "not_finite"}}, {"series", list}});
    else
        printText(table.text());
    return kSuccess;
}

}  // namespace

void addMetricsCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<MetricsRequest>();
    CLI::App* command = app.add_subcommand("metrics", "List a run's metrics, or print the values of some");
    command->add_option("RUN", request->run, "Id, start of an id, name, or latest")->required();
    command->add_option("METRIC", request->metrics, "Names of metrics, such as loss");
    command->add_option("--rank", request->rank, "Of this rank; otherwise of the lowest one that has the metric")->check(CLI::Range(0, 1'000'000));
    command->add_option("--from", request->firstStep, "First step")->type_name("STEP");
    command->add_option("--to", request->lastStep, "Last step")->type_name("STEP");
    CLI::Option* points = command->add_option("--points", request->points,
                              "Of a series with more values than this, steps are summarised: their lowest, highest and last value")
                              ->check(CLI::Range(8, 1'000'000))->capture_default_str();
    command->add_flag("--exact", request->isExact, "Every value")->excludes(points);
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->footer("Values that a later attempt has superseded are left out; `atelier export` writes these, too.");
    command->callback([request, &action] { action = [request] { return metrics(*request); }; });
}

}  // namespace app
