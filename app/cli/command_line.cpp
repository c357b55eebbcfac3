#include "app/cli/command_line.h"

#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/format.h"
#include "app/cli/qt_arguments.h"
#include "app/cli/remote_command.h"
#include "app/cli/version.h"
#include "engine/contract/formats/text.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace app {
namespace {

/// @param message a line for each error; the lines from the second on say themselves what they are
int reportError(const std::string& message, ExitCode code)
{
    constexpr std::size_t kLongestLine = 4000;  // bytes; the values in a message are shortened where it is made
    std::fflush(stdout);
    std::string text = "error: ";
    for (std::size_t begin = 0; begin <= message.size();) {
        const std::size_t end = std::min(message.find('\n', begin), message.size());
        text += printable(contract::shortened(std::string_view(message).substr(begin, end - begin), kLongestLine)) + "\n";
        begin = end + 1;
    }
    std::fputs(text.c_str(), stderr);
    return code;
}

/// Returns the command most similar to @p word; empty when none is within an edit distance of two.
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
    addPrepareCommand(app, action);
    addQueueCommand(app, action);
    addListCommand(app, action);
    addShowCommand(app, action);
    addAlertsCommand(app, action);
    addReportCommand(app, action);
    addRulesCommand(app, action);
    addWatchCommand(app, action);
    addMetricsCommand(app, action);
    addStepsCommand(app, action);
    addPlotCommand(app, action);
    addViewsCommand(app, action);
    addLogsCommand(app, action);
    addSearchCommand(app, action);
    addSamplesCommand(app, action);
    addControlCommands(app, action);
    addResumeCommand(app, action);
    addAnnotateCommands(app, action);
    addRemoveCommand(app, action);
    addTrashCommand(app, action);
    addDiskCommand(app, action);
    addDebugCommand(app, action);
    addCheckpointsCommand(app, action);
    addCompareCommand(app, action);
    addExportCommand(app, action);
    addImportCommand(app, action);
    addPackCommands(app, action);
    addDataCommand(app, action);
    addPlanCommand(app, action);
    addPresetsCommand(app, action);
    addOptionsCommand(app, action);
    addReindexCommand(app, action);
    addGpusCommand(app, action);
    addDoctorCommand(app, action);
    addNotifyCommand(app, action);
    addGenerateCommand(app, action);
    addMcpCommand(app, action);
    addServeCommand(app, action);
    addManualPagesCommand(app, action);
    addScheduleCommand(app, action);
    addSuperviseCommand(app, action);
    app.add_subcommand("version", "Print the version")->callback([&action] {
        action = [] {
            std::printf("atelier %s\n", kVersion);
            return kSuccess;
        };
    });
}

int execute(const Action& action)
{
    try {
        return action();
    } catch (const Failure& failure) {
        return reportError(failure.what(), failure.code());
    } catch (const std::exception& error) {
        return reportError(contract::sentenceOf(error), kFailed);
    }
}

/// CLI11 names arguments that no option takes in the reverse of the order in which they were given.
std::string sentenceOf(const CLI::App& app, const CLI::ParseError& error)
{
    const std::vector<std::string> extras = app.remaining(true);
    if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || extras.empty())
        return error.what();
    std::string text = extras.size() > 1 ? "The following arguments were not expected:" : "The following argument was not expected:";
    for (const std::string& extra : extras)
        text += " " + extra;
    return text;
}

/// Reports CLI11's error in one sentence that refers to the command's --help.
int reportWrongUsage(const CLI::App& app, const CLI::ParseError& error)
{
    const CLI::App* at = &app;
    std::string command = "atelier";
    while (!at->get_subcommands().empty()) {
        at = at->get_subcommands().front();
        command += " " + at->get_name();
    }
    return reportError(printable(sentenceOf(app, error)) + "; see `" + command + " --help`", kWrongUsage);
}

/// Takes "--host HOST" and "--remote-program PROGRAM" from the beginning of the command line.
/// @throws Failure when one has no value or names no machine.
std::optional<launcher::RemoteHost> takeHost(std::vector<std::string>& arguments)
{
    std::string host, program;
    while (!arguments.empty()) {
        const std::string first = arguments.front();
        const std::string name = first.substr(0, first.find('='));
        if (name != "--host" && name != "--remote-program")
            break;
        arguments.erase(arguments.begin());
        std::string& value = name == "--host" ? host : program;
        if (name.size() < first.size()) {
            value = first.substr(name.size() + 1);
        } else if (!arguments.empty()) {
            value = arguments.front();
            arguments.erase(arguments.begin());
        }
        if (value.empty())
            throw Failure(name + " needs a value", kWrongUsage);
    }
    if (host.empty() && program.empty())
        return std::nullopt;
    if (host.empty())
        throw Failure("--remote-program needs --host HOST, too", kWrongUsage);
    try {
        launcher::RemoteHost parsed = launcher::parseRemoteHost(host);
        if (!program.empty())
            parsed.program = program;
        return parsed;
    } catch (const std::exception& error) {
        throw Failure(error.what(), kWrongUsage);
    }
}

}  // namespace

CommandLine runCommandLine(int argc, char** argv)
{
    SplitArguments arguments = splitArguments(argc, argv);
    CommandLine result;
    result.qtArguments = std::move(arguments.qt);
    result.exitCode = execute([&] {
        result.host = takeHost(arguments.own);
        return kSuccess;
    });
    if (result.exitCode != kSuccess)
        return result;
    if (result.host) {
        result.isDesktop = arguments.own.empty();
        if (!result.isDesktop)
            result.exitCode = execute([&] { return executeThere(*result.host, arguments.own); });
        return result;
    }
    Action action;
    CLI::App app("Workbench for training diffusion models. Without a command, opens the window.", "atelier");
    app.set_version_flag("--version", std::string("atelier ") + kVersion);
    std::string file;
    app.add_option("FILE", file, "Experiment file (TOML) to open in the window's launch form");
    app.add_flag("--demo", result.startDemo, "Open the window and start the digits experiment");
    app.add_option("--open", result.openRun, "Open the window with this run")->type_name("RUN");
    std::string onlyFirst;  // takeHost() has taken them; here they are for --help
    app.add_option("--host", onlyFirst, "Show the runs of another machine, through ssh; before a command, execute it there")->type_name("[USER@]HOST[:/HOME]");
    app.add_option("--remote-program", onlyFirst, "The program `atelier` on that machine, when it is not found by its name")->type_name("PROGRAM");
    app.footer("Options of Qt, such as -style fusion or -platform offscreen, are passed on to the window.");
    addCommands(app, action);
    try {
        std::ranges::reverse(arguments.own);  // as CLI11 wants a vector
        app.parse(std::move(arguments.own));
    } catch (const CLI::Success& success) {  // --help, --version
        result.exitCode = app.exit(success);
        return result;
    } catch (const CLI::ParseError& error) {
        result.exitCode = reportWrongUsage(app, error);
        return result;
    }
    if (action && !result.qtArguments.empty()) {
        result.exitCode = reportError(printable(result.qtArguments.front()) + " is an option of Qt for the window, which a command does not open",
            kWrongUsage);
    } else if (action) {
        result.exitCode = execute(action);
    } else if (!file.empty() && !file.ends_with(".toml")) {
        const std::string nearest = nearestCommand(app, file);
        result.exitCode = reportError("there is no command " + printable(file)
                + (nearest.empty() ? "." : "; did you mean " + nearest + "?") + " See `atelier --help`",
            kWrongUsage);
    } else if (!onlyFirst.empty()) {
        result.exitCode = reportError("--host and --remote-program come first: `atelier --host HOST COMMAND`", kWrongUsage);
    } else {
        result.experiment = file;
        result.exitCode = execute([&result] {
            if (!result.openRun.empty())
                result.openRun = findRun(existingHome(), result.openRun).id();
            return kSuccess;
        });
        result.isDesktop = result.exitCode == kSuccess;
    }
    return result;
}

}  // namespace app
