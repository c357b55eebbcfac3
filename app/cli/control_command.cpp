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

#include <memory>

namespace app {
namespace {

using launcher::ControlCommand;

struct ControlRequest {
    std::string run;
    bool isNow = false;
    bool isKill = false;
    bool isWaiting = false;
};

contract::RunFolder send(const std::string& name, ControlCommand command)
{
    const launcher::DataHome home = existingHome();
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

ExitCode stop(const ControlRequest& request)
{
    const ControlCommand command = request.isKill ? ControlCommand::Kill
        : request.isNow                           ? ControlCommand::StopNow
                                                  : ControlCommand::Stop;
    const contract::RunFolder folder = send(request.run, command);
    if (request.isWaiting)
        contract::waitForSupervisor(folder);
    const std::string announcement = request.isKill ? "is killed"
        : request.isNow                             ? "stops now, without a checkpoint"
                                                    : "stops after this step, with a checkpoint";
    printText("Run " + folder.id() + " "
        + (request.isWaiting ? "is " + std::string(stateName(launcher::inspectRun(folder).state)) : announcement)
        + ".\n");
    return kSuccess;
}

/// @param announcement what the run will do: "writes a checkpoint"
void addSimple(CLI::App& app, Action& action, ControlCommand what, const char* name, const char* help, const char* announcement)
{
    const auto request = std::make_shared<ControlRequest>();
    CLI::App* command = app.add_subcommand(name, help);
    command->add_option("RUN", request->run, "Id, start of an id, name, or latest")->required();
    command->callback([=, &action] {
        action = [=] {
            const contract::RunFolder folder = send(request->run, what);
            printText("Run " + folder.id() + " " + announcement + " after this step.\n");
            return kSuccess;
        };
    });
}

}  // namespace

void addControlCommands(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<ControlRequest>();
    CLI::App* command = app.add_subcommand("stop", "Stop a run after this step, with a checkpoint");
    command->add_option("RUN", request->run, "Id, start of an id, name, or latest")->required();
    CLI::Option* now
        = command->add_flag("--now", request->isNow, "Stop within seconds, without a checkpoint");
    command->add_flag("--kill", request->isKill, "Kill every rank at once")->excludes(now);
    command->add_flag("--wait", request->isWaiting, "Wait until the run has ended");
    command->callback([request, &action] { action = [request] { return stop(*request); }; });

    addSimple(app, action, ControlCommand::Checkpoint, "checkpoint", "Make a run write a checkpoint after this step",
        "writes a checkpoint");
    addSimple(app, action, ControlCommand::Sample, "sample", "Make a run draw samples after this step", "draws samples");
}

}  // namespace app
