// atelier steps
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "engine/contract/run/journal.h"
#include "ui/steps/stacked_parts.h"
#include "ui/steps/straggler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace app {
namespace {

struct StepsRequest {
    std::string run;
    std::int64_t steps = 100;
    bool isJson = false;
};

/// The last @p count points of a series up to @p last; fewer when there are no more.
std::vector<storage::Point> lastPoints(const storage::Store& store, const storage::SeriesRow& series, std::int64_t last, std::size_t count)
{
    constexpr std::int64_t kEveryPoint = std::numeric_limits<std::int32_t>::max();
    for (std::int64_t span = static_cast<std::int64_t>(count);; span *= 2) {
        const std::int64_t first = std::max(series.firstStep, last - span + 1);
        std::vector<storage::Point> points = store.range(series.id, first, last, kEveryPoint).points;
        if (points.size() < count && first > series.firstStep)
            continue;
        points.erase(points.begin(), points.end() - static_cast<std::ptrdiff_t>(std::min(count, points.size())));
        return points;
    }
}

/// The last @p count steps that each rank has recorded of @p metrics, without superseded ones.
ui::PlotFeed::Lines lastLines(const storage::Store& store, const std::string& run, const std::vector<std::string>& metrics, std::int64_t count)
{
    std::map<ui::LineKey, std::vector<storage::SeriesRow>> series;
    for (const storage::SeriesRow& row : store.series(run)) {
        if (row.points > 0 && std::ranges::find(metrics, row.metric) != metrics.end())
            series[{.run = run, .metric = row.metric, .rank = row.rank}].push_back(row);
    }
    ui::PlotFeed::Lines lines;
    for (auto& [key, rows] : series) {
        std::ranges::sort(rows, std::ranges::greater(), &storage::SeriesRow::attempt);
        std::vector<std::pair<ui::LinePiece, std::vector<storage::Point>>> pieces;  // the newest first
        std::size_t missing = static_cast<std::size_t>(count);
        for (const storage::SeriesRow& row : rows) {
            const std::int64_t last = std::min(row.lastStep, row.supersededAfter.value_or(row.lastStep));
            const bool isNeeded = missing > 0 && last >= row.firstStep;
            std::vector<storage::Point> points = isNeeded ? lastPoints(store, row, last, missing) : std::vector<storage::Point>();
            missing -= points.size();
            pieces.emplace_back(ui::LinePiece {.seriesId = row.id, .attempt = row.attempt}, std::move(points));
        }
        auto line = std::make_shared<ui::LineData>();
        line->key = key;
        for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
            if (!piece->second.empty())
                line->points.append(piece->first, piece->second);
        }
        lines.emplace(key, std::move(line));
    }
    return lines;
}

struct PartTime {
    std::string name;
    double milliseconds = 0;  ///< the mean
    double share = 0;
};

std::vector<PartTime> timesOf(const ui::StackedParts& parts)
{
    std::vector<PartTime> times;
    double all = 0;
    for (const ui::StackedParts::Part& part : parts.parts) {
        double sum = 0;
        int count = 0;
        for (const double value : part.milliseconds) {
            if (std::isfinite(value)) {
                sum += value;
                ++count;
            }
        }
        if (count == 0)
            continue;
        times.push_back({.name = part.name.toStdString(), .milliseconds = sum / count});
        all += sum / count;
    }
    for (PartTime& time : times)
        time.share = all > 0 ? time.milliseconds / all : 0;
    return times;
}

/// What the dock Steps says of the last steps of a run.
struct StepsReport {
    std::int64_t first = 0, last = 0;  ///< steps
    std::vector<PartTime> parts, rounds;
    std::vector<ui::RankLoad> loads;
    std::optional<ui::Straggler> straggler;
};

StepsReport reportOf(const storage::Store& store, const std::string& run, std::int64_t count)
{
    std::vector<std::string> metrics = ui::partsMetrics();
    metrics.emplace_back(contract::metric::kStepTime);
    ui::StepTimes steps, rounds;
    steps.update(lastLines(store, run, metrics, count), metrics);
    rounds.update(lastLines(store, run, ui::roundMetrics(), count), ui::roundMetrics());
    if (steps.isEmpty())
        return {};
    StepsReport report {.first = std::numeric_limits<std::int64_t>::max(), .parts = timesOf(ui::partsOfSteps(steps, std::nullopt)),
        .rounds = rounds.isEmpty() ? std::vector<PartTime>() : timesOf(ui::partsOfRounds(rounds)),
        .loads = ui::rankLoads(steps, static_cast<std::size_t>(count)), .straggler = {}};
    report.straggler = ui::findStraggler(report.loads);
    for (const int rank : steps.ranks()) {
        if (const ui::LineData* line = steps.line(contract::metric::kStepTime, rank)) {
            report.first = std::min(report.first, line->points.steps().front());
            report.last = std::max(report.last, line->points.steps().back());
        }
    }
    return report;
}

Json partsJson(const std::vector<PartTime>& parts)
{
    Json list = Json::array();
    for (const PartTime& part : parts)
        list.push_back({{"part", part.name}, {"ms", jsonNumber(part.milliseconds)}, {"share", jsonNumber(part.share)}});
    return list;
}

Json reportJson(const std::string& run, const StepsReport& report)
{
    Json ranks = Json::array();
    for (const ui::RankLoad& load : report.loads)
        ranks.push_back({{"rank", load.rank}, {"computing_ms", jsonNumber(load.computing)}, {"waiting_ms", jsonNumber(load.waiting)}, {"steps", load.steps}});
    Json straggler = nullptr;
    if (report.straggler)
        straggler = {{"rank", report.straggler->rank}, {"excess", jsonNumber(report.straggler->excess)}, {"others_wait_ms", jsonNumber(report.straggler->waitingMs)},
            {"steps", report.straggler->steps}};
    return {{"run", run}, {"first_step", report.first}, {"last_step", report.last}, {"parts", partsJson(report.parts)}, {"rounds", partsJson(report.rounds)},
        {"ranks", ranks}, {"straggler", straggler}};
}

std::string millisecondsText(double value) { return formatNumber(value) + " ms"; }

std::string partsText(const std::string& title, const std::vector<PartTime>& parts)
{
    using enum Table::Align;
    Table table({{title}, {"MEAN", Right}, {"SHARE", Right}});
    for (const PartTime& part : parts)
        table.addRow({part.name, millisecondsText(part.milliseconds), formatPercent(part.share)});
    return table.isEmpty() ? "" : "\n" + table.text();
}

std::string reportText(const StepsReport& report)
{
    using enum Table::Align;
    std::string text = "Steps " + formatCount(report.first) + " to " + formatCount(report.last) + ":\n" + partsText("PART OF A STEP", report.parts)
        + partsText("PART OF A ROUND", report.rounds);
    Table table({{"RANK", Right}, {"COMPUTING", Right}, {"WAITING", Right}});
    for (const ui::RankLoad& load : report.loads)
        table.addRow({std::to_string(load.rank), millisecondsText(load.computing), millisecondsText(load.waiting)});
    if (!table.isEmpty())
        text += "\n" + table.text();
    if (report.straggler)
        text += "\nRank " + std::to_string(report.straggler->rank) + " holds the others up: it computes " + formatPercent(report.straggler->excess)
            + " longer than they do, and they wait " + millisecondsText(report.straggler->waitingMs) + " a step.\n";
    return text;
}

ExitCode steps(const StepsRequest& request)
{
    const launcher::DataHome home = existingHome();
    const std::string run = findRun(home, request.run).id();
    const storage::Store store = openCatalogue(home);
    const StepsReport report = reportOf(store, run, request.steps);
    if (request.isJson)
        printJson(reportJson(run, report));
    else
        printText(!report.parts.empty()          ? reportText(report)
                : store.run(run)->lastStep > 0 ? "Run " + run + " records no step times.\n"
                                               : "Run " + run + " has finished no step yet.\n");
    return kSuccess;
}

}  // namespace

void addStepsCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<StepsRequest>();
    CLI::App* command = app.add_subcommand("steps", "Show where the time of a run's last steps goes, and which rank holds the others up");
    command->add_option("RUN", request->run, "Id, start of an id, name, or latest")->required();
    command->add_option("-n,--number", request->steps, "How many steps")->check(CLI::Range(std::int64_t {1}, ui::StepTimes::kMostBins))->capture_default_str();
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->footer("Ranks wait for each other in every step: the slow one is the one that computes longest. A rank that computes a tenth longer than the others is named.");
    command->callback([request, &action] { action = [request] { return steps(*request); }; });
}

}  // namespace app
