// atelier stop, atelier checkpoint, atelier sample
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/output.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/slurm/slurm_client.h"
#include "launcher/state/run_state.h"
#include "launcher/supervisor/control_client.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace app {
namespace {

using launcher::ControlCommand;

struct ControlRequest {
    std::vector<std::string> runs;
    bool isNow = false;
    bool isKill = false;
    bool isWaiting = false;
};

contract::RunFolder send(const launcher::DataHome& home, const std::string& name, ControlCommand command)
{
    const contract::RunFolder folder = findRun(home, name);
    launcher::refreshSlurm(folder, std::chrono::seconds(0));
    const launcher::RunStatus status = launcher::inspectRun(folder);
    if (!launcher::isActive(status.state) && status.slurmJob.empty())
        throw Failure("run " + folder.id() + " is not running: it is "
            + std::string(launcher::stateName(status.state)));
    const launcher::ControlReply reply = launcher::sendCommand(home, folder, command);
    if (!reply.isAccepted)
        throw Failure(reply.error);
    return folder;
}

/// Sends the command to each of the runs, and calls @p done with those that have taken it. One that has not does not keep it from the others.
ExitCode sendAll(const std::vector<std::string>& names, ControlCommand command, const std::function<void(const contract::RunFolder&)>& done)
{
    const launcher::DataHome home = existingHome();
    std::vector<contract::RunFolder> taken;
    std::string errors;
    for (const std::string& name : names) {
        try {
            taken.push_back(send(home, name, command));
        } catch (const Failure& failure) {
            errors += (errors.empty() ? "" : "\nerror: ") + std::string(failure.what());
        }
    }
    for (const contract::RunFolder& folder : taken)
        done(folder);
    if (!errors.empty())
        throw Failure(errors);
    return kSuccess;
}

ExitCode stop(const ControlRequest& request)
{
    const ControlCommand command = request.isKill ? ControlCommand::Kill
        : request.isNow                           ? ControlCommand::StopNow
                                                  : ControlCommand::Stop;
    const std::string announcement = request.isKill ? "is killed"
        : request.isNow                             ? "stops now, without a checkpoint"
                                                    : "stops after this step, with a checkpoint";
    return sendAll(request.runs, command, [&](const contract::RunFolder& folder) {
        if (request.isWaiting)
            contract::waitForSupervisor(folder);
        printText("Run " + folder.id() + " "
            + (request.isWaiting ? "is " + std::string(stateName(launcher::inspectRun(folder).state)) : announcement)
            + ".\n");
    });
}

CLI::Option* addRuns(CLI::App& command, ControlRequest& request)
{
    return command.add_option("RUN", request.runs, "Id, start of an id, name, or latest")->required();
}

/// @param announcement what the run will do: "writes a checkpoint"
void addSimple(CLI::App& app, Action& action, ControlCommand what, const char* name, const char* help, const char* announcement)
{
    const auto request = std::make_shared<ControlRequest>();
    CLI::App* command = app.add_subcommand(name, help);
    addRuns(*command, *request);
    command->callback([=, &action] {
        action = [=] {
            return sendAll(request->runs, what, [&](const contract::RunFolder& folder) {
                printText("Run " + folder.id() + " " + announcement + " after this step.\n");
            });
        };
    });
}

}  // namespace

void addControlCommands(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<ControlRequest>();
    CLI::App* command = app.add_subcommand("stop", "Stop runs after this step, with a checkpoint");
    addRuns(*command, *request);
    CLI::Option* now
        = command->add_flag("--now", request->isNow, "Stop within seconds, without a checkpoint");
    command->add_flag("--kill", request->isKill, "Kill every rank at once")->excludes(now);
    command->add_flag("--wait", request->isWaiting, "Wait until the run has ended");
    command->callback([request, &action] { action = [request] { return stop(*request); }; });

    addSimple(app, action, ControlCommand::Checkpoint, "checkpoint", "Make runs write a checkpoint after this step",
        "writes a checkpoint");
    addSimple(app, action, ControlCommand::Sample, "sample", "Make runs draw samples after this step", "draws samples");
}

}  // namespace app
