// atelier plan
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/experiment_options.h"
#include "app/cli/failure.h"
#include "app/cli/format.h"
#include "app/cli/live_line.h"
#include "app/cli/output.h"
#include "launcher/base/signal_pipe.h"
#include "launcher/machine/gpus.h"
#include "launcher/plan/estimate.h"
#include "launcher/plan/forecast.h"
#include "launcher/plan/preflight.h"
#include "launcher/remote/plan_answer.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>

namespace app {
namespace {

using launcher::Forecast;
using launcher::PreflightItem;

struct PlanRequest {
    ExperimentChoice choice;
    ExperimentChanges changes;
    bool areOnlyChecks = false;
    bool isTrial = false;
    bool tellsProgress = false;
    bool isJson = false;
};

std::string_view levelName(PreflightItem::Level level)
{
    return level == PreflightItem::Level::Ok ? "ok" : level == PreflightItem::Level::Warning ? "warning" : "error";
}

struct Plan {
    contract::Experiment before;  ///< the experiment as the file or the run has it
    contract::Experiment experiment;
    std::vector<PreflightItem> checks;
    Forecast forecast;
    std::optional<launcher::Estimate> estimate = {};  ///< with a trial
    std::optional<launcher::Estimate> earlier = {};   ///< without one: of the last trial of such an experiment
};

Json changesJson(const contract::Experiment& from, const contract::Experiment& to)
{
    Json changes = Json::array();
    for (const contract::Option* option : contract::differingOptions(from, to))
        changes.push_back({{"key", option->key}, {"value", contract::toText(to.value(option->key))}, {"before", contract::toText(from.value(option->key))}});
    return changes;
}

std::int64_t totalSteps(const Plan& plan) { return plan.experiment.integer("run.total_steps"); }

Json trialJson(const Plan& plan, const launcher::Estimate& estimate)
{
    const launcher::Trial& trial = estimate.trial;
    const launcher::NotInSteps left = launcher::notInSteps(plan.experiment);
    return {{"steps", trial.steps}, {"is_round", trial.isRound}, {"step_seconds", trial.stepMs / 1000}, {"peak_bytes", trial.peakBytes},
        {"forecast_bytes", estimate.forecastBytes - estimate.checkpointCopyBytes}, {"total_steps", totalSteps(plan)},
        {"seconds", static_cast<double>(launcher::timeOf(trial, totalSteps(plan)).count()) / 1000},
        {"not_included", {{"samplings", left.samplings}, {"checkpoints", left.checkpoints}, {"validations", left.validations}}}};
}

Json toJson(const Plan& plan)
{
    Json parts = Json::array();
    const Forecast& forecast = plan.forecast;
    for (const Forecast::Part& part : forecast.parts)
        parts.push_back({{"name", part.name}, {"bytes", part.bytes}, {"on_host", part.isOnHost}});
    Json json {{"changes", changesJson(plan.before, plan.experiment)}, {"changes_from_defaults", changesJson({}, plan.experiment)}, {"checks", launcher::checksJson(plan.checks)},
        {"device", forecast.isOnGpus ? "cuda" : "cpu"}, {"ranks", forecast.ranks}, {"parameters", forecast.parameters}, {"trained", forecast.trained},
        {"rank_memory", {{"bytes", forecast.rankBytes()}, {"free_bytes", forecast.freeBytes}, {"activations_known", forecast.knowsActivations}, {"parts", parts}}},
        {"disk", {{"checkpoint_bytes", forecast.checkpointBytes}, {"checkpoints", forecast.checkpoints}, {"sample_bytes", forecast.sampleBytes},
                     {"cache_bytes", forecast.cacheBytes}, {"cache_elsewhere", forecast.isCacheElsewhere},
                     {"bytes", forecast.diskBytes()}, {"free_bytes", forecast.freeDisk}}}};
    if (plan.estimate)
        json["trial"] = trialJson(plan, *plan.estimate);
    if (plan.earlier)
        json["earlier_trial"] = trialJson(plan, *plan.earlier);
    return json;
}

std::string bytes(std::int64_t count) { return formatBytes(static_cast<std::uint64_t>(std::max<std::int64_t>(0, count))); }

/// "Memory of a rank: 143 MB of 3.1 GB free", and a bar for each part.
std::string memoryText(const Forecast& forecast)
{
    constexpr std::int64_t kWidth = 30;
    std::int64_t largest = 1;
    for (const Forecast::Part& part : forecast.parts)
        largest = std::max(largest, part.bytes);
    Table table({{"  PART"}, {"BYTES", Table::Align::Right}, {""}, {"WHAT"}});
    for (const Forecast::Part& part : forecast.parts) {
        const auto length = static_cast<std::size_t>((part.bytes * kWidth + largest - 1) / largest);
        table.addRow({"  " + part.name, bytes(part.bytes), std::string(length, '#'), launcher::meaningOf(part.name) + (part.isOnHost ? " (host memory)" : "")});
    }
    std::string text = "Memory of a rank: " + bytes(forecast.rankBytes()) + " of " + bytes(forecast.freeBytes) + " free"
        + (forecast.isEnough() ? "" : ", which is not enough") + (forecast.isOnGpus ? " on the GPU\n" : "\n") + table.text();
    if (!forecast.knowsActivations)
        text += "  and activations, which are known when the run has begun\n";
    return text;
}

std::string counted(std::int64_t count, const char* one, const char* many) { return formatCount(count) + " " + (count == 1 ? one : many); }

/// "not included: the start, 5 drawings of samples, 2 checkpoints"
std::string notIncluded(const launcher::NotInSteps& left)
{
    std::string text = "the start";
    if (left.samplings > 0)
        text += ", " + counted(left.samplings, "drawing of samples", "drawings of samples");
    if (left.checkpoints > 0)
        text += ", " + counted(left.checkpoints, "checkpoint", "checkpoints");
    if (left.validations > 0)
        text += ", " + counted(left.validations, "validation", "validations");
    return text;
}

std::string trialText(const Plan& plan)
{
    const launcher::Estimate& estimate = *plan.estimate;
    const launcher::Trial& trial = estimate.trial;
    const std::string step = trial.stepMs < 1000 ? formatRate(trial.stepMs) + " ms" : formatRate(trial.stepMs / 1000) + " s";
    std::string text = trial.isRound ? "Trial: a round of " + counted(trial.steps, "step", "steps") + ", " + step + " a step\n"
                                     : "Trial: " + step + " a step, the median of " + formatCount(trial.steps) + " after the first\n";
    text += "Time: " + formatDuration(launcher::timeOf(trial, totalSteps(plan))) + " for " + counted(totalSteps(plan), "step", "steps")
        + "; not included: " + notIncluded(launcher::notInSteps(plan.experiment)) + "\n";
    text += "Measured memory: " + bytes(trial.peakBytes) + " in the largest rank; the forecast without the copy for a checkpoint is "
        + bytes(estimate.forecastBytes - estimate.checkpointCopyBytes) + "\n";
    return text;
}

std::string checksText(const std::vector<PreflightItem>& checks)
{
    std::string text;
    for (const PreflightItem& item : checks)
        text += item.what + ": " + item.message + (item.level == PreflightItem::Level::Ok ? "" : " [" + std::string(levelName(item.level)) + "]") + "\n";
    return text;
}

std::string diskText(const Forecast& forecast)
{
    std::string text = "Disk at the end: " + bytes(forecast.diskBytes()) + ", " + counted(forecast.checkpoints, "checkpoint of ", "checkpoints of ")
        + bytes(forecast.checkpointBytes);
    if (forecast.sampleBytes > 0)
        text += " and at most " + bytes(forecast.sampleBytes) + " of samples";
    const std::string cache = bytes(forecast.cacheBytes) + " of data that is encoded for the first time";
    if (forecast.cacheBytes > 0 && !forecast.isCacheElsewhere)
        text += " and at most " + cache;
    text += "; " + bytes(forecast.freeDisk) + " free\n";
    return forecast.cacheBytes > 0 && forecast.isCacheElsewhere ? text + "On the disk of data.cache: at most " + cache + "\n" : text;
}

std::string toText(const Plan& plan)
{
    const Forecast& forecast = plan.forecast;
    std::string text;
    for (const contract::Option* option : contract::differingOptions(plan.before, plan.experiment))
        text += "Change: " + std::string(option->key) + " = " + contract::toText(plan.experiment.value(option->key)) + " (before: "
            + contract::toText(plan.before.value(option->key)) + ")\n";
    text += "Differs from the defaults in " + formatCount(std::ssize(contract::differingOptions(contract::Experiment(), plan.experiment))) + " options.\n\n";
    text += checksText(plan.checks) + "\nModel: " + formatCount(forecast.parameters) + " parameters, of which " + formatCount(forecast.trained) + " train, on "
        + formatCount(forecast.ranks) + (forecast.ranks == 1 ? " rank" : " ranks") + (forecast.isOnGpus ? " with GPUs\n" : " on the CPU\n");
    text += memoryText(forecast);
    text += diskText(forecast);
    if (plan.estimate)
        text += "\n" + trialText(plan);
    return text;
}

/// @return nullopt when a signal has cancelled it
std::optional<launcher::Trial> tryOut(const launcher::DataHome& home, const contract::Experiment& experiment, bool tellsProgress)
{
    launcher::SignalPipe signals({SIGINT, SIGTERM, SIGHUP});
    LiveLine live(stderr);
    return launcher::tryExperiment(home, experiment,
        {.report = [&](const launcher::TrialProgress& progress) {
             if (tellsProgress)
                 return static_cast<void>(std::fprintf(stderr, "progress: %s\n", launcher::progressText(progress).c_str()));
             live.show("trial: " + (progress.steps == 0 ? progress.doing
                                                        : "step " + std::to_string(progress.steps) + " of " + std::to_string(progress.of)));
         },
            .isCancelled = [&] { return signals.wait().has_value(); }});
}

/// Also of an experiment with problems, as a form that is being filled in.
ExitCode showChecks(const launcher::DataHome& home, const std::filesystem::path& file, const PlanRequest& request)
{
    contract::ParsedExperiment parsed = parsedExperiment(file);
    if (!request.changes.settings.empty())
        parsed = {.experiment = readExperiment(file, request.changes), .problems = {}};
    const auto checks = launcher::preflight(home, parsed.experiment);
    if (!request.isJson) {
        for (const contract::Problem& problem : parsed.problems)
            printText("Experiment: " + problem.message + " [error]\n");
        printText(checksText(checks));
        return kSuccess;
    }
    for (const contract::Problem& problem : parsed.experiment.validate())
        parsed.problems.push_back(problem);
    printJson({{"problems", launcher::problemsJson(parsed.problems)}, {"checks", launcher::checksJson(checks)}, {"gpus", launcher::gpusJson(launcher::readGpus())}});
    return kSuccess;
}

ExitCode plan(const PlanRequest& request)
{
    const launcher::DataHome home = launcher::DataHome::locate();
    const auto file = chosenFile(home, request.choice);
    if (request.areOnlyChecks)
        return showChecks(home, file, request);
    Plan plan {.before = parsedExperiment(file).experiment, .experiment = readExperiment(file, request.changes), .checks = {}, .forecast = {}};
    plan.checks = launcher::preflight(home, plan.experiment);
    plan.forecast = launcher::forecast(home, plan.experiment);
    if (request.isTrial) {
        const auto trial = tryOut(home, plan.experiment, request.tellsProgress);
        if (!trial)
            throw Failure("the trial was cancelled", kKilled);
        plan.estimate = launcher::Estimate {*trial, plan.forecast.rankBytes(), plan.forecast.checkpointCopyBytes()};
        launcher::keepEstimate(home, plan.experiment, *plan.estimate);
    } else {
        plan.earlier = launcher::estimateFor(home, plan.experiment);
    }
    if (request.isJson)
        printJson(toJson(plan));
    else
        printText(toText(plan));
    return kSuccess;
}

}  // namespace

void addPlanCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<PlanRequest>();
    CLI::App* command = app.add_subcommand("plan", "Say what a run would need and what stands against it, without starting it");
    addExperimentChoice(*command, request->choice);
    addExperimentOptions(*command, request->changes);
    CLI::Option* checks = command->add_flag("--checks", request->areOnlyChecks, "Only say what stands against it, and with --json which GPUs there are");
    CLI::Option* trial = command->add_flag("--trial", request->isTrial, "Train three steps to say how long the run will take, or one round of an algorithm that has rounds")->excludes(checks);
    command->add_flag("--progress", request->tellsProgress, "Print how far the trial is on standard error, as lines of JSON for programs")->needs(trial);
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->footer("The memory is that of training. Samples and the validation loss are not counted; large batches of them may need more.");
    command->callback([request, &action] { action = [request] { return plan(*request); }; });
}

}  // namespace app
