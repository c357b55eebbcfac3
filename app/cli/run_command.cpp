// atelier run, atelier resume
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/experiment_source.h"
#include "app/cli/find_run.h"
#include "app/cli/output.h"
#include "app/cli/start_and_follow.h"
#include "engine/contract/formats/text.h"
#include "launcher/launch.h"

#include <memory>
#include <optional>
#include <utility>

namespace app {
namespace {

struct RunRequest {
    std::string what;  ///< FILE or RUN
    ExperimentChanges changes;
    std::optional<std::int64_t> fromStep;
    StartRequest start;
};

/// @return empty, or why @p setting is not of the form KEY=VALUE.
std::string checkSetting(const std::string& setting)
{
    const std::size_t equals = setting.find('=');
    if (equals != 0 && equals != std::string::npos)
        return {};
    return contract::shortened(setting) + ": write KEY=VALUE as one word, without spaces around the sign, as in --set optim.lr=1e-4";
}

void addCommonOptions(CLI::App& command, RunRequest& request)
{
    // Checked while the command line is parsed: the value of "--set optim.lr 1e-4" would be reported as an unexpected argument.
    command.add_option("--set", request.changes.settings, "Change an option; may be repeated")
        ->type_name("KEY=VALUE")
        ->check(checkSetting)
        ->allow_extra_args(false);
    command.add_option_function<std::string>("--profile-steps",
               [&request](const std::string& steps) { request.changes.settings.push_back("run.profile_steps=" + steps); },
               "Write a Chrome trace of these steps, for example 10..15")
        ->type_name("FROM..TO");
    command.add_flag("--detach", request.start.isDetached, "Start in the background and return at once");
    command.add_flag("--json", request.start.isJson, "Print the outcome as one JSON document");
}

/// Prints the warnings of preflight(). @throws Failure with all its errors, one per line.
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
    const contract::RunFolder folder = findNewestRun(home, request.what);
    const auto experiment = lastExperiment(folder, request.changes);
    checkPreflight(home, experiment);
    launcher::PreparedRun prepared = launcher::prepareResume(folder, request.fromStep, experiment);
    if (!prepared.notice.empty())
        printWarning(prepared.notice);
    return startAndFollow(home, std::move(prepared), experiment, request.start);
}

}  // namespace

void addRunCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<RunRequest>();
    CLI::App* command = app.add_subcommand("run", "Start an experiment and follow it to its end");
    command->add_option("FILE", request->what, "Experiment file (TOML), or a ready experiment: digits, emoji")
        ->required();
    command->add_option("--name", request->changes.name, "Name of the run; the same as --set run.name=");
    addCommonOptions(*command, *request);
    command->footer("Ctrl+C stops the run with a checkpoint, a second Ctrl+C kills it. The run continues when the "
                    "terminal is closed. `atelier options` lists the keys for --set.");
    command->callback([request, &action] { action = [request] { return run(*request); }; });
}

void addResumeCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<RunRequest>();
    CLI::App* command = app.add_subcommand("resume", "Continue a run from a checkpoint");
    command->add_option("RUN", request->what, "Id, start of an id, name, or latest")->required();
    command->add_option("--from", request->fromStep, "Step of the checkpoint; the latest otherwise")
        ->type_name("STEP");
    addCommonOptions(*command, *request);
    command->callback([request, &action] { action = [request] { return resume(*request); }; });
}

}  // namespace app
