// atelier show
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "app/commands/sample_json.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/journal.h"
#include "launcher/plan/estimate.h"
#include "launcher/plan/forecast.h"
#include "launcher/slurm/slurm_client.h"
#include "launcher/state/run_state.h"
#include "storage/reports/resume_proof.h"
#include "ui/runs/run_entry.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace app {
namespace {

struct ShowRequest {
    std::string run;
    bool isJson = false;
    std::optional<int> events;
};

constexpr int kEventsShown = 10;

/// A metric of all ranks and attempts.
struct Metric {
    std::optional<storage::RunValue> last;  ///< nullopt when all values are superseded
    std::int64_t points = 0;     ///< as many as `atelier export` writes
    std::int64_t nonFinite = 0;  ///< of these
};

/// Everything that the command shows about a run.
struct Report {
    storage::RunRow run;
    launcher::RunStatus status;
    std::vector<storage::AttemptRow> attempts;
    std::vector<storage::ResumeProof> proofs;
    std::vector<storage::ParameterRow> parameters;  ///< of the last attempt
    std::map<std::string, Metric> metrics;  ///< by name
    std::vector<storage::CheckpointRow> checkpoints;
    std::vector<storage::SampleRow> samples;
    std::vector<storage::EventRow> events;
    std::optional<launcher::Estimate> estimate;  ///< made before the last attempt
    std::optional<launcher::Forecast> forecast;  ///< made at its start
    std::int64_t peakBytes = 0;                  ///< the highest of any rank in the newest attempt
};

/// @param events how many, the newest
Report gather(const storage::Store& store, const contract::RunFolder& folder, int events)
{
    const auto row = store.run(folder.id());
    if (!row)
        throw Failure("run " + folder.id() + " cannot be read from " + folder.root().string());
    if (const std::string problem = launcher::refreshSlurm(folder, std::chrono::seconds(2)); !problem.empty())
        printWarning(problem);
    Report report {.run = *row, .status = launcher::inspectRun(folder),
        .attempts = store.attempts(row->id), .proofs = {}, .parameters = {}, .metrics = {},
        .checkpoints = store.checkpoints(row->id), .samples = store.samples(row->id),
        .events = store.events(row->id, events), .estimate = {}, .forecast = {}};
    if (!report.attempts.empty()) {
        report.parameters = store.parameters(row->id, report.attempts.back().number);
        report.estimate = launcher::readEstimate(folder, report.attempts.back().number);
        report.forecast = launcher::readForecast(folder, report.attempts.back().number);
    }
    const std::vector<storage::SeriesRow> allSeries = store.series(row->id);
    report.proofs = storage::resumeProofs(store, report.attempts, allSeries);
    for (const storage::SeriesRow& series : allSeries) {
        Metric& metric = report.metrics[series.metric];
        metric.points += series.points;
        metric.nonFinite += series.nonFinite;
    }
    for (auto& [name, metric] : report.metrics) {
        for (const storage::RunValue& value : store.values({storage::RunField::Kind::Last, name}, row->id))
            metric.last = value;
    }
    report.peakBytes = static_cast<std::int64_t>(storage::largestLast(allSeries, contract::metric::kPeakAllocated));
    return report;
}

Json statusJson(const launcher::RunStatus& status)
{
    return {{"state", stateName(status.state)}, {"cause", status.cause},
        {"waits_for", status.waitsFor}, {"activity", status.activity}, {"attempt", status.attempt}, {"ranks", status.ranks},
        {"place", status.place}, {"slurm_job", status.slurmJob},
        {"step", status.step}, {"total_steps", status.totalSteps},
        {"last_record_unix_ms", status.lastRecordUnixMs}};
}

Json attemptsJson(const std::vector<storage::AttemptRow>& attempts)
{
    Json list = Json::array();
    for (const storage::AttemptRow& each : attempts)
        list.push_back({{"attempt", each.number}, {"start_unix_ms", each.startUnixMs}, {"ranks_start_unix_ms", each.ranksStartUnixMs > 0 ? Json(each.ranksStartUnixMs) : Json(nullptr)},
            {"ranks", each.ranks}, {"host", each.host}, {"parent_checkpoint", each.parentCheckpoint},
            {"parent_step", each.parentStep}, {"last_step", each.lastStep}, {"outcome", each.outcome},
            {"cause", each.cause}});
    return list;
}

Json proofsJson(const std::vector<storage::ResumeProof>& proofs)
{
    Json list = Json::array();
    for (const storage::ResumeProof& each : proofs) {
        Json proof {{"attempt", each.later}, {"former", each.former}, {"first_step", each.firstStep}, {"last_step", each.lastStep},
            {"steps", each.steps}, {"metrics", each.metrics}, {"identical", !each.first}, {"cut", each.isCut}};
        if (each.first)
            proof["first_difference"] = {{"step", each.first->step}, {"metric", each.first->metric}, {"former", jsonNumber(each.first->former)},
                {"value", jsonNumber(each.first->later)}};
        list.push_back(proof);
    }
    return list;
}

Json eventsJson(const std::vector<storage::EventRow>& events)
{
    Json list = Json::array();
    for (const storage::EventRow& each : events)
        list.push_back({{"attempt", each.attempt}, {"rank", each.rank}, {"step", each.step},
            {"unix_ms", each.unixMs}, {"level", each.level}, {"kind", each.kind},
            {"message", each.message}});
    return list;
}

Json samplesJson(const Report& report)
{
    Json list = Json::array();
    for (const storage::SampleRow& each : report.samples)
        list.push_back(sampleJson(each));
    return list;
}

/// The time that a trial before the last attempt said, beside what has become of it.
struct Foretold {
    std::int64_t steps = 0;  ///< all of the attempt, or those that it made
    std::chrono::milliseconds forecast, actual;
};

/// @return nullopt when nothing was tried before it, or it has not started
std::optional<Foretold> foretold(const Report& report)
{
    if (!report.estimate || report.attempts.back().ranksStartUnixMs == 0)
        return std::nullopt;
    const storage::AttemptRow& attempt = report.attempts.back();
    const std::int64_t last = launcher::isActive(report.status.state) ? report.run.totalSteps : attempt.lastStep;
    const std::int64_t steps = std::max<std::int64_t>(0, last - attempt.parentStep);
    const std::int64_t elapsed = std::max<std::int64_t>(0, report.run.lastRecordUnixMs - attempt.ranksStartUnixMs);
    return Foretold {.steps = steps, .forecast = launcher::timeOf(report.estimate->trial, steps), .actual = std::chrono::milliseconds(elapsed)};
}

std::int64_t bytesOnDisk(const Report& report)
{
    std::int64_t bytes = 0;
    for (const storage::CheckpointRow& each : report.checkpoints)
        bytes += each.bytes;
    return bytes;
}

Json forecastJson(const Report& report)
{
    const std::optional<Foretold> time = foretold(report);
    if (!time && !report.forecast)
        return nullptr;
    Json json {{"memory_bytes", report.forecast ? report.forecast->rankBytes() : report.estimate->forecastBytes}, {"actual_memory_bytes", report.peakBytes}};
    if (time) {
        json["steps"] = time->steps;
        json["step_seconds"] = report.estimate->trial.stepMs / 1000;
        json["seconds"] = static_cast<double>(time->forecast.count()) / 1000;
        json["actual_seconds"] = static_cast<double>(time->actual.count()) / 1000;
    }
    if (report.forecast) {
        json["activations_known"] = report.forecast->knowsActivations;
        json["disk_bytes"] = report.forecast->checkpointsBytes();
        json["actual_disk_bytes"] = bytesOnDisk(report);
    }
    return json;
}

/// "Forecast:    36 min for the steps, was 38 min; 1.2 GB of memory, was 1.1 GB; 300.0 MB of checkpoints, was 300.0 MB"
std::string forecastText(const Report& report)
{
    const bool isActive = launcher::isActive(report.status.state);
    const auto beside = [&](const std::string& truth) { return isActive ? ", " + truth + " so far" : ", was " + truth; };
    const auto bytes = [](std::int64_t count) { return formatBytes(static_cast<std::uint64_t>(std::max<std::int64_t>(0, count))); };
    std::vector<std::string> parts;
    if (const auto time = foretold(report); time && report.run.lastRecordUnixMs > 0)
        parts.push_back(formatDuration(time->forecast) + " for the steps" + beside(formatDuration(time->actual)));
    const std::int64_t memory = report.forecast ? report.forecast->rankBytes() : report.estimate ? report.estimate->forecastBytes : 0;
    if (memory > 0 && report.peakBytes > 0)
        parts.push_back(bytes(memory) + (report.forecast && !report.forecast->knowsActivations ? " of memory without activations" : " of memory")
            + beside(bytes(report.peakBytes)));
    if (report.forecast && report.peakBytes > 0)
        parts.push_back(bytes(report.forecast->checkpointsBytes()) + " of checkpoints" + beside(bytes(bytesOnDisk(report))));
    std::string text;
    for (const std::string& part : parts)
        text += (text.empty() ? "\nForecast:    " : "; ") + part;
    return text;
}

Json reportJson(const Report& report)
{
    Json document {{"id", report.run.id}, {"name", report.run.name}, {"project", report.run.project},
        {"tags", report.run.tags}, {"notes", report.run.notes}, {"archived", report.run.isArchived},
        {"look", {{"color", contract::colourText(report.run.line)}, {"line", contract::dashText(report.run.line)},
                     {"marker", contract::markerText(report.run.line)}}},
        {"folder", report.run.folder}, {"created_unix_ms", report.run.createdUnixMs},
        {"status", statusJson(report.status)}, {"attempts", attemptsJson(report.attempts)}, {"resume_proofs", proofsJson(report.proofs)},
        {"samples", samplesJson(report)}, {"events", eventsJson(report.events)}, {"forecast", forecastJson(report)}};
    Json& parameters = document["parameters"] = Json::object();
    for (const storage::ParameterRow& each : report.parameters)
        parameters[each.key] = each.value;
    Json& metrics = document["metrics"] = Json::object();
    for (const auto& [name, metric] : report.metrics)
        metrics[name] = {{"last", metric.last ? jsonNumber(metric.last->number) : Json(nullptr)},
            {"last_step", metric.last ? Json(metric.last->step) : Json(nullptr)}, {"points", metric.points}, {"non_finite", metric.nonFinite}};
    Json& checkpoints = document["checkpoints"] = Json::array();
    for (const storage::CheckpointRow& each : report.checkpoints)
        checkpoints.push_back({{"step", each.step}, {"path", each.path}, {"bytes", each.bytes}});
    return document;
}

std::string stateText(const launcher::RunStatus& status)
{
    std::string text(stateName(status.state));
    text += launcher::waitText(status);
    if (!status.activity.empty())
        text += ", " + status.activity;
    if (!status.place.empty())
        text += " (" + status.place + ")";
    if (!status.cause.empty())
        text += ": " + status.cause;
    return printable(text);
}

std::string attemptText(const storage::AttemptRow& each)
{
    const std::int64_t waited = storage::waitedMs(each);
    std::string text = "  " + std::to_string(each.number) + "  " + formatTime(storage::beginUnixMs(each)) + "  "
        + (waited > 0 ? "after a wait of " + formatDuration(std::chrono::milliseconds(waited)) + ", " : "") + std::to_string(each.ranks) + (each.ranks == 1 ? " rank" : " ranks")
        + (each.host.empty() ? "" : " on " + each.host);
    text += each.parentCheckpoint.empty() ? "" : ", from " + each.parentCheckpoint;
    text += ", to step " + formatCount(each.lastStep);
    text += each.outcome.empty() ? "" : ", " + each.outcome;
    return printable(text + (each.cause.empty() ? "" : ": " + each.cause)) + "\n";
}

std::string proofText(const storage::ResumeProof& each)
{
    const std::string later = "  attempt " + std::to_string(each.later), former = "attempt " + std::to_string(each.former);
    if (!each.first)
        return later + " repeats steps " + formatCount(each.firstStep) + " to " + formatCount(each.lastStep) + " of " + former + " with identical values"
            + (each.isCut ? "; only these " + formatCount(each.steps) + " steps were compared" : "") + "\n";
    return printable(later + " differs from " + former + " from step " + formatCount(each.first->step) + " on: " + each.first->metric + " is "
               + contract::shortestText(each.first->later) + " instead of " + contract::shortestText(each.first->former)) + "\n";
}

std::string metricsText(const Report& report)
{
    using enum Table::Align;
    Table table({{"METRIC"}, {"LAST", Right}, {"STEP", Right}, {"POINTS", Right}});
    for (const auto& [name, metric] : report.metrics)
        table.addRow({name, metric.last ? formatNumber(metric.last->number) : "", metric.last ? formatCount(metric.last->step) : "",
            formatCount(metric.points)});
    return table.isEmpty() ? "" : "\n" + table.text();
}

std::string placeText(std::int64_t place, std::int64_t count) { return formatCount(place) + " of " + formatCount(count); }

/// The best and worst samples of the last round of which they were kept.
std::string standingsText(const Report& report)
{
    using enum Table::Align;
    std::int64_t round = 0;
    bool isWatched = false;
    for (const storage::SampleRow& each : report.samples) {
        round = std::max(round, each.standing ? each.standing->round : 0);
        isWatched = isWatched || (each.standing && each.standing->goldReward);
    }
    std::vector<Table::Column> columns {{"ROUND", Right}, {"PROMPT"}, {"PLACE", Right}, {"SAMPLE", Right}, {"REWARD", Right}};
    if (isWatched)
        columns.push_back({"WATCHED", Right});
    columns.push_back({"IMAGE"});
    Table table(columns);
    for (const storage::SampleRow& each : report.samples) {
        if (!each.standing || each.standing->round != round)
            continue;
        const storage::Standing& standing = *each.standing;
        std::vector<std::string> cells {formatCount(round), each.prompt, placeText(standing.promptPlace, standing.prompts),
            placeText(standing.place, standing.samples), formatNumber(standing.reward)};
        if (isWatched)
            cells.push_back(standing.goldReward ? formatNumber(*standing.goldReward) : "");
        cells.push_back(each.file);
        table.addRow(cells);
    }
    return table.isEmpty() ? "" : "\n" + table.text();
}

std::string eventsText(const Report& report)
{
    using enum Table::Align;
    Table table({{"TIME"}, {"LEVEL"}, {"RANK", Right}, {"STEP", Right}, {"EVENT"}});
    for (const storage::EventRow& each : report.events)
        table.addRow({formatTime(each.unixMs), each.level,
            each.rank < 0 ? "-" : std::to_string(each.rank), formatCount(each.step), each.message});
    return table.isEmpty() ? "" : "\n" + table.text();
}

std::string reportText(const Report& report)
{
    const storage::RunRow& run = report.run;
    std::string text = printable(run.id + "  " + run.name) + "\nState:       " + stateText(report.status)
        + "\nStep:        " + formatCount(ui::RunEntry {run, report.status}.step()) + (run.totalSteps > 0 ? " of " + formatCount(run.totalSteps) : "");
    if (const std::int64_t last = ui::RunEntry {run, report.status}.lastRecordUnixMs(); last > 0)
        text += ", last record " + formatAge(last);
    text += forecastText(report);
    if (!run.project.empty())
        text += "\nProject:     " + printable(run.project);
    std::string tags;
    for (const std::string& tag : run.tags)
        tags += (tags.empty() ? "" : ", ") + tag;
    if (!tags.empty())
        text += "\nTags:        " + printable(tags);
    if (!run.notes.empty())
        text += "\nNote:        " + printable(run.notes);
    if (run.line != contract::RunLine {})
        text += "\nLook:        color " + contract::colourText(run.line) + ", line " + contract::dashText(run.line) + ", marker " + contract::markerText(run.line);
    text += "\nFolder:      " + printable(run.folder) + "\nCheckpoints: " + std::to_string(report.checkpoints.size());
    const auto latest = std::ranges::find(report.checkpoints.rbegin(), report.checkpoints.rend(), false, &storage::CheckpointRow::isAbandoned);
    if (latest != report.checkpoints.rend())
        text += ", the last at step " + formatCount(latest->step);
    text += "\nImages:      " + std::to_string(report.samples.size());
    if (!report.samples.empty())
        text += ", the last is " + printable(run.folder + "/" + report.samples.back().file);
    text += "\nAttempts:\n";
    for (const storage::AttemptRow& each : report.attempts)
        text += attemptText(each);
    for (const storage::ResumeProof& each : report.proofs)
        text += proofText(each);
    return text + metricsText(report) + standingsText(report) + eventsText(report);
}

ExitCode show(const ShowRequest& request)
{
    const launcher::DataHome home = existingHome();
    const contract::RunFolder folder = findRun(home, request.run);
    const int all = std::numeric_limits<int>::max();
    const Report report = gather(openCatalogue(home), folder, request.events.value_or(request.isJson ? all : kEventsShown));
    if (request.isJson)
        printJson(reportJson(report));
    else
        printText(reportText(report));
    return kSuccess;
}

}  // namespace

void addShowCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<ShowRequest>();
    CLI::App* command = app.add_subcommand("show", "Show the state, attempts, metrics and events of a run");
    command->add_option("RUN", request->run, "Id, start of an id, name, or latest")->required();
    command->add_option("--events", request->events, "How many of the newest events; default: 10, with --json all")->check(CLI::Range(0, 1'000'000));
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->callback([request, &action] { action = [request] { return show(*request); }; });
}

}  // namespace app
