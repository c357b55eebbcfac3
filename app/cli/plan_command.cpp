// atelier plan
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/experiment_options.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "engine/contract/experiment/experiment_difference.h"
#include "launcher/forecast.h"
#include "launcher/preflight.h"

#include <algorithm>
#include <memory>

namespace app {
namespace {

using launcher::Forecast;
using launcher::PreflightItem;

struct PlanRequest {
    ExperimentChoice choice;
    ExperimentChanges changes;
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
};

Json changesJson(const contract::Experiment& from, const contract::Experiment& to)
{
    Json changes = Json::array();
    for (const contract::Option* option : contract::differingOptions(from, to))
        changes.push_back({{"key", option->key}, {"value", contract::toText(to.value(option->key))}, {"before", contract::toText(from.value(option->key))}});
    return changes;
}

Json toJson(const Plan& plan)
{
    Json checks = Json::array(), parts = Json::array();
    for (const PreflightItem& item : plan.checks)
        checks.push_back({{"check", item.what}, {"level", levelName(item.level)}, {"message", item.message}});
    const Forecast& forecast = plan.forecast;
    for (const Forecast::Part& part : forecast.parts)
        parts.push_back({{"name", part.name}, {"bytes", part.bytes}, {"on_host", part.isOnHost}});
    return {{"changes", changesJson(plan.before, plan.experiment)}, {"changes_from_defaults", changesJson({}, plan.experiment)}, {"checks", checks},
        {"device", forecast.isOnGpus ? "cuda" : "cpu"}, {"ranks", forecast.ranks}, {"parameters", forecast.parameters}, {"trained", forecast.trained},
        {"rank_memory", {{"bytes", forecast.rankBytes()}, {"free_bytes", forecast.freeBytes}, {"activations_known", forecast.knowsActivations}, {"parts", parts}}},
        {"disk", {{"checkpoint_bytes", forecast.checkpointBytes}, {"checkpoints", forecast.checkpoints},
                     {"bytes", forecast.checkpointBytes * forecast.checkpoints}, {"free_bytes", forecast.freeDisk}}}};
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

std::string toText(const Plan& plan)
{
    const Forecast& forecast = plan.forecast;
    std::string text;
    for (const contract::Option* option : contract::differingOptions(plan.before, plan.experiment))
        text += "Change: " + std::string(option->key) + " = " + contract::toText(plan.experiment.value(option->key)) + " (before: "
            + contract::toText(plan.before.value(option->key)) + ")\n";
    text += "Differs from the defaults in " + formatCount(std::ssize(contract::differingOptions(contract::Experiment(), plan.experiment))) + " options.\n\n";
    for (const PreflightItem& item : plan.checks)
        text += item.what + ": " + item.message + (item.level == PreflightItem::Level::Ok ? "" : " [" + std::string(levelName(item.level)) + "]") + "\n";
    text += "\nModel: " + formatCount(forecast.parameters) + " parameters, of which " + formatCount(forecast.trained) + " train, on "
        + formatCount(forecast.ranks) + (forecast.ranks == 1 ? " rank" : " ranks") + (forecast.isOnGpus ? " with GPUs\n" : " on the CPU\n");
    text += memoryText(forecast);
    text += "Disk at the end: " + bytes(forecast.checkpointBytes * forecast.checkpoints) + ", " + formatCount(forecast.checkpoints)
        + (forecast.checkpoints == 1 ? " checkpoint of " : " checkpoints of ") + bytes(forecast.checkpointBytes) + "; " + bytes(forecast.freeDisk) + " free\n";
    return text;
}

ExitCode plan(const PlanRequest& request)
{
    const launcher::DataHome home = launcher::DataHome::locate();
    const auto file = chosenFile(home, request.choice);
    Plan plan {.before = contract::loadExperiment(file).experiment, .experiment = readExperiment(file, request.changes), .checks = {}, .forecast = {}};
    plan.checks = launcher::preflight(home, plan.experiment);
    plan.forecast = launcher::forecast(home, plan.experiment);
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
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->footer("The memory is that of training. Samples and the validation loss are not counted; large batches of them may need more.");
    command->callback([request, &action] { action = [request] { return plan(*request); }; });
}

}  // namespace app
