// atelier run, atelier resume
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/experiment_options.h"
#include "app/cli/find_run.h"
#include "app/cli/output.h"
#include "app/cli/planned_runs.h"
#include "app/cli/queue_runs.h"
#include "app/cli/start_and_follow.h"
#include "engine/contract/experiment/slurm_rules.h"
#include "launcher/base/program_path.h"
#include "launcher/plan/preflight.h"
#include "launcher/runs/launch.h"
#include "launcher/scheduler/start_scheduler.h"
#include "launcher/slurm/slurm_script.h"
#include "launcher/state/run_state.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace app {
namespace {

struct RunRequest {
    ExperimentChoice choice;  ///< of run
    std::string run;          ///< of resume
    ExperimentChanges changes;
    std::optional<std::int64_t> fromStep;
    StartRequest start;
    bool isQueued = false;
    std::string target;       ///< argument of --target; empty: that of the experiment
    bool isDryRun = false;
};

void addCommonOptions(CLI::App& command, RunRequest& request, SetValues values)
{
    addExperimentOptions(command, request.changes, values);
    command.add_option("--target", request.target, "Where it runs, local or slurm; the same as --set launch.target=");
    CLI::Option* detach = command.add_flag("--detach", request.start.isDetached, "Start in the background and return at once");
    command.add_flag("--queue", request.isQueued, "Do not start now, but when its turn in the queue has come")->excludes(detach);
    command.add_flag("--json", request.start.isJson, "Print the outcome as one JSON document");
}

ExperimentChanges changesOf(const RunRequest& request)
{
    ExperimentChanges changes = request.changes;
    if (!request.target.empty())
        changes.settings.push_back("launch.target=" + request.target);
    return changes;
}

std::string scriptFor(const launcher::DataHome& home, const contract::Experiment& experiment)
{
    return launcher::slurmScript(experiment, launcher::exampleFolder(home, experiment), launcher::programPath("atelier-worker"));
}

/// Prints what would be submitted, or what was found here: the GPUs that the ranks would get, and what stands against a start.
ExitCode showStart(const launcher::DataHome& home, const contract::Experiment& experiment)
{
    if (contract::isForSlurm(experiment)) {
        printText(scriptFor(home, experiment));
        return kSuccess;
    }
    using enum launcher::PreflightItem::Level;
    bool isPossible = true;
    for (const launcher::PreflightItem& item : launcher::preflight(home, experiment)) {
        const bool isError = item.level == Error;
        isPossible = isPossible && !isError;
        printText(item.what + ": " + item.message + (isError ? " [error]" : item.level == Warning ? " [warning]" : "") + "\n");
    }
    return isPossible ? kSuccess : kFailed;
}

/// Prints the runs that the command line would make.
ExitCode showPlanned(const launcher::DataHome& home, const RunRequest& request, const ExperimentChanges& changes)
{
    const auto file = chosenFile(home, request.choice);
    const bool isOne = combinations(changes).size() == 1;
    if (isOne && !request.start.isJson)
        return showStart(home, readExperiment(file, changes));
    const std::vector<PlannedRun> runs = planRuns(home, file, changes);
    if (!request.start.isJson)
        return showRuns(runs);
    Json list = runsJson(runs);
    for (std::size_t i = 0; isOne && i < runs.size(); ++i) {
        if (runs[i].mistake.empty() && contract::isForSlurm(runs[i].experiment))
            list[i]["script"] = scriptFor(home, runs[i].experiment);
    }
    printJson(list);
    return std::ranges::all_of(runs, [](const PlannedRun& each) { return each.errors().empty(); }) ? kSuccess : kFailed;
}

ExitCode run(const RunRequest& request)
{
    const launcher::DataHome home = launcher::DataHome::locate();
    const ExperimentChanges changes = changesOf(request);
    if (!request.isQueued)
        requireOneRun(changes);
    if (request.isDryRun)
        return showPlanned(home, request, changes);
    if (request.isQueued) {
        const auto runs = planRuns(home, chosenFile(home, request.choice), changes);
        requireReady(runs);
        return queueRuns(home, createRuns(home, runs), {}, request.start.isJson);
    }
    const auto experiment = readExperiment(chosenFile(home, request.choice), changes);
    home.create();
    checkPreflight(home, experiment);
    return startAndFollow(home, launcher::createRun(home, experiment), experiment, request.start);
}

/// What waits in the queue is started there, in its turn or past it.
void requireNotQueued(const contract::RunFolder& folder, const RunRequest& request)
{
    const launcher::RunStatus status = launcher::inspectRun(folder);
    if (!request.isQueued && status.state == launcher::RunState::Queued && status.slurmJob.empty())
        throw std::runtime_error("run " + folder.id() + " waits in the queue; `atelier queue start` starts it now, `atelier queue remove` takes it out");
}

ExitCode resume(const RunRequest& request)
{
    const launcher::DataHome home = existingHome();
    const contract::RunFolder folder = findNewestRun(home, request.run);
    requireNotQueued(folder, request);
    const auto experiment = lastExperiment(folder, changesOf(request));
    checkPreflight(home, experiment);
    launcher::PreparedRun prepared = request.isQueued ? launcher::prepareForQueue(home, folder, request.fromStep, experiment)
                                                      : launcher::prepareResume(folder, request.fromStep, experiment);
    if (!prepared.notice.empty())
        printWarning(prepared.notice);
    if (request.isQueued)
        return queueRun(home, std::move(prepared), request.start.isJson);
    return startAndFollow(home, std::move(prepared), experiment, request.start);
}

}  // namespace

void addRunCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<RunRequest>();
    CLI::App* command = app.add_subcommand("run", "Start an experiment and follow it to its end");
    addExperimentChoice(*command, request->choice);
    command->add_option("--name", request->changes.name, "Name of the run; the same as --set run.name=");
    addCommonOptions(*command, *request, SetValues::Listed);
    command->add_flag("--dry-run", request->isDryRun, "Start nothing: print what was found here and which GPUs the ranks would get, or the batch script for Slurm; with --queue and "
        "listed values, the table of runs");
    command->footer("Ctrl+C stops the run with a checkpoint, a second Ctrl+C kills it. The run continues when the "
                    "terminal is closed. `atelier options` lists the keys for --set.");
    command->callback([request, &action] { action = [request] { return run(*request); }; });
}

void addResumeCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<RunRequest>();
    CLI::App* command = app.add_subcommand("resume", "Continue a run from a checkpoint");
    command->add_option("RUN", request->run, "Id, start of an id, name, or latest")->required();
    command->add_option("--from", request->fromStep, "Step of the checkpoint; the latest otherwise")
        ->type_name("STEP");
    addCommonOptions(*command, *request, SetValues::One);
    command->callback([request, &action] { action = [request] { return resume(*request); }; });
}

}  // namespace app
