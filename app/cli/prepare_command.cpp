// atelier prepare
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/experiment_options.h"
#include "app/cli/output.h"
#include "app/cli/queue_runs.h"
#include "engine/contract/variables/variable_list.h"
#include "launcher/base/shell_word.h"
#include "launcher/runs/launch.h"

#include <memory>

namespace app {
namespace {

struct PrepareRequest {
    ExperimentChoice choice;
    ExperimentChanges changes;
    bool isJson = false;
};

ExitCode prepare(const PrepareRequest& request)
{
    const launcher::DataHome home = launcher::DataHome::locate();
    const auto experiment = readExperiment(chosenFile(home, request.choice), request.changes);
    home.create();
    checkPreflight(home, experiment);
    launcher::PreparedRun run = launcher::createRun(home, experiment);
    run.lock.release();
    showInDatabase(home, {run.folder});

    const std::string ranks = std::to_string(experiment.integer("launch.ranks"));
    const std::string worker = launcher::shellWord(launcher::programPath("atelier-worker")) + " --run " + launcher::shellWord(run.folder.root().string());
    std::string variables;
    for (const auto& [name, value] : contract::parseVariables(experiment.text("launch.environment")).variables)
        variables += name + "=" + launcher::shellWord(value) + " ";
    // Without --, torchrun takes --run for an option of its own.
    const std::string torchrun = variables + "torchrun --standalone --nproc-per-node " + ranks + " --no-python -- " + worker;
    const std::string mpirun = variables + "mpirun -n " + ranks + " " + worker;
    const std::string srun = variables + "srun -n " + ranks + " " + worker;
    const std::string plain = "atelier resume " + run.folder.id();
    if (request.isJson) {
        printJson({{"run", run.folder.id()}, {"folder", run.folder.root().string()}, {"attempt", run.attempt},
            {"ranks", experiment.integer("launch.ranks")},
            {"commands", {{"torchrun", torchrun}, {"mpirun", mpirun}, {"srun", srun}, {"atelier", plain}, {"one_rank", variables + worker}}}});
        return kSuccess;
    }
    printText("Run:    " + run.folder.id() + "\nFolder: " + run.folder.root().string()
        + "\n\nOne of these lines starts it; the same line later continues it from its latest checkpoint:\n\n    " + torchrun
        + "\n    " + mpirun + "\n    " + srun + "\n    " + plain + "        # on this machine, with a supervisor\n    " + variables + worker + "        # a single rank\n");
    return kSuccess;
}

}  // namespace

void addPrepareCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<PrepareRequest>();
    CLI::App* command = app.add_subcommand("prepare", "Make a run's folder without starting it, for torchrun, mpirun or srun");
    addExperimentChoice(*command, request->choice);
    command->add_option("--name", request->changes.name, "Name of the run; the same as --set run.name=");
    addExperimentOptions(*command, request->changes);
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->footer("Ranks that another launcher starts keep the same journals and checkpoints: `atelier list`, `show`, `stop`\n"
                    "and the window follow them as far as they see the run's folder.");
    command->callback([request, &action] { action = [request] { return prepare(*request); }; });
}

}  // namespace app
