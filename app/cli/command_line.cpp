#include "app/cli/command_line.h"

#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/format.h"
#include "app/version.h"
#include "engine/contract/text.h"

#include <cstdio>
#include <string_view>

namespace app {
namespace {

int tell(const std::string& message, ExitCode code)
{
    std::fflush(stdout);
    std::fprintf(stderr, "error: %s\n", message.c_str());
    return code;
}

/// The command that was meant; empty when none is within two slips of @p word.
std::string nearestCommand(const CLI::App& app, const std::string& word)
{
    constexpr std::size_t kLongest = 20;
    std::string best;
    std::size_t bestDistance = word.size() < kLongest ? 3 : 0;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        const std::size_t distance = contract::editDistance(word, command->get_name());
        if (distance < bestDistance && !command->get_group().empty()) {
            bestDistance = distance;
            best = command->get_name();
        }
    }
    return best;
}

void addCommands(CLI::App& app, Action& action)
{
    addRunCommand(app, action);
    addListCommand(app, action);
    addShowCommand(app, action);
    addControlCommands(app, action);
    addResumeCommand(app, action);
    addRemoveCommand(app, action);
    addCheckpointsCommand(app, action);
    addExportCommand(app, action);
    addDataCommand(app, action);
    addOptionsCommand(app, action);
    addReindexCommand(app, action);
    addDoctorCommand(app, action);
    addGenerateCommand(app, action);
    addSuperviseCommand(app, action);
    app.add_subcommand("version", "Print the version")->callback([&action] {
        action = [] {
            std::printf("atelier %s\n", kVersion);
            return kSuccess;
        };
    });
}

int carryOut(const Action& action)
{
    try {
        return action();
    } catch (const Failure& failure) {
        return tell(failure.what(), failure.code());
    } catch (const std::exception& error) {
        return tell(error.what(), kFailed);
    }
}

/// CLI11's own complaint, made one sentence that names the command's help.
int tellWrongUsage(const CLI::App& app, const CLI::ParseError& error)
{
    const CLI::App* at = &app;
    std::string command = "atelier";
    while (!at->get_subcommands().empty()) {
        at = at->get_subcommands().front();
        command += " " + at->get_name();
    }
    return tell(printable(error.what()) + "; see `" + command + " --help`", kWrongUsage);
}

}  // namespace

CommandLine runCommandLine(int argc, char** argv)
{
    CommandLine result;
    Action action;
    CLI::App app("Workbench for training diffusion models. Without a command the window opens.", "atelier");
    app.set_version_flag("--version", std::string("atelier ") + kVersion);
    std::string file;
    app.add_option("FILE", file, "Experiment (TOML) to open in the launch form of the window");
    app.add_flag("--demo", result.startDemo, "Open the window and start the digits experiment");
    app.add_option("--open", result.openRun, "Open the window with this run")->type_name("RUN");
    addCommands(app, action);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& wanted) {  // --help, --version
        result.exitCode = app.exit(wanted);
        return result;
    } catch (const CLI::ParseError& error) {
        result.exitCode = tellWrongUsage(app, error);
        return result;
    }
    if (action) {
        result.exitCode = carryOut(action);
    } else if (!file.empty() && !file.ends_with(".toml")) {
        const std::string nearest = nearestCommand(app, file);
        result.exitCode = tell("there is no command " + printable(file)
                + (nearest.empty() ? "" : "; did you mean " + nearest + "?") + " See `atelier --help`",
            kWrongUsage);
    } else {
        result.experiment = file;
        result.exitCode = carryOut([&result] {
            if (!result.openRun.empty())
                result.openRun = findRun(existingHome(), result.openRun).id();
            return kSuccess;
        });
        result.isDesktop = result.exitCode == kSuccess;
    }
    return result;
}

}  // namespace app
