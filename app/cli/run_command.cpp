// atelier run, atelier resume
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/experiment_source.h"
#include "app/cli/find_run.h"
#include "app/cli/output.h"
#include "app/cli/start_and_follow.h"
#include "launcher/launch.h"

#include <memory>
#include <optional>

namespace app {
namespace {

struct RunRequest {
    std::string what;  ///< FILE or RUN
    ExperimentChanges changes;
    std::optional<std::int64_t> fromStep;
    StartRequest start;
};

void addCommonOptions(CLI::App& command, RunRequest& request)
{
    command.add_option("--set", request.changes.settings, "Change an option; may be given often")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    command.add_option_function<std::string>("--profile-steps",
               [&request](const std::string& steps) { request.changes.settings.push_back("run.profile_steps=" + steps); },
               "Write a Chrome trace of these steps, as in 10..15")
        ->type_name("FROM..TO");
    command.add_flag("--detach", request.start.isDetached, "Start in the background and return at once");
    command.add_flag("--json", request.start.isJson, "Print the outcome as one JSON document");
}

/// @throws Failure with everything that stands against starting.
void checkPreflight(const launcher::DataHome& home, const contract::Experiment& experiment)
{
    std::string errors;
    for (const launcher::PreflightItem& item : launcher::preflight(home, experiment)) {
        if (item.level == launcher::PreflightItem::Level::Error)
            errors += (errors.empty() ? "" : "\nerror: ") + item.message;
        else if (item.level == launcher::PreflightItem::Level::Warning)
            printWarning(item.message);
    }
    if (!errors.empty())
        throw Failure(errors);
}

ExitCode run(const RunRequest& request)
{
    const auto experiment = readExperiment(experimentFile(request.what), request.changes);
    const launcher::DataHome home = launcher::DataHome::locate();
    home.create();
    checkPreflight(home, experiment);
    return startAndFollow(home, launcher::createRun(home, experiment), experiment, request.start);
}

ExitCode resume(const RunRequest& request)
{
    const launcher::DataHome home = existingHome();
    const contract::RunFolder folder = findRun(home, request.what);
    const auto experiment = lastExperiment(folder, request.changes);
    checkPreflight(home, experiment);
    return startAndFollow(
        home, launcher::prepareResume(folder, request.fromStep, experiment), experiment, request.start);
}

}  // namespace

void addRunCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<RunRequest>();
    CLI::App* command = app.add_subcommand("run", "Start an experiment and watch it to its end");
    command->add_option("FILE", request->what, "Experiment file (TOML), or a ready one: digits, emoji")
        ->required();
    command->add_option("--name", request->changes.name, "Name of the run; the same as --set run.name=");
    addCommonOptions(*command, *request);
    command->footer("Ctrl+C stops with a checkpoint, a second one kills; closing the terminal leaves the "
                    "run going. `atelier options` lists the keys for --set.");
    command->callback([request, &action] { action = [request] { return run(*request); }; });
}

void addResumeCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<RunRequest>();
    CLI::App* command = app.add_subcommand("resume", "Go on with a run from a checkpoint");
    command->add_option("RUN", request->what, "Id, start of an id, name, or latest")->required();
    command->add_option("--from", request->fromStep, "Step of the checkpoint; the latest otherwise")
        ->type_name("STEP");
    addCommonOptions(*command, *request);
    command->callback([request, &action] { action = [request] { return resume(*request); }; });
}

}  // namespace app
