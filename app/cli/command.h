// The commands of `atelier`, each in a file of its own.
#pragma once
#include "app/cli/failure.h"

#include <functional>

namespace CLI {
class App;
}

namespace app {

/// What the chosen command does; set while the command line is parsed, called afterwards.
using Action = std::function<ExitCode()>;

// Each declares one command or a few kindred ones.
void addRunCommand(CLI::App& app, Action& action);
void addResumeCommand(CLI::App& app, Action& action);
void addControlCommands(CLI::App& app, Action& action);  ///< stop, checkpoint, sample
void addListCommand(CLI::App& app, Action& action);
void addShowCommand(CLI::App& app, Action& action);
void addRemoveCommand(CLI::App& app, Action& action);
void addCheckpointsCommand(CLI::App& app, Action& action);
void addExportCommand(CLI::App& app, Action& action);
void addDataCommand(CLI::App& app, Action& action);
void addOptionsCommand(CLI::App& app, Action& action);
void addReindexCommand(CLI::App& app, Action& action);
void addDoctorCommand(CLI::App& app, Action& action);
void addGenerateCommand(CLI::App& app, Action& action);
void addSuperviseCommand(CLI::App& app, Action& action);

}  // namespace app
