// Declares the commands of `atelier`; each is implemented in its own file.
#pragma once
#include "app/cli/failure.h"

#include <functional>

namespace CLI {
class App;
}

namespace app {

/// Executes the chosen command. Set while the command line is parsed, called afterwards.
using Action = std::function<ExitCode()>;

// Each adds one command or a few related ones to @p app; parsing one of them sets @p action, which must outlive @p app.
void addRunCommand(CLI::App& app, Action& action);
void addResumeCommand(CLI::App& app, Action& action);
void addControlCommands(CLI::App& app, Action& action);  ///< stop, checkpoint, sample
void addListCommand(CLI::App& app, Action& action);
void addShowCommand(CLI::App& app, Action& action);
void addRulesCommand(CLI::App& app, Action& action);
void addAlertsCommand(CLI::App& app, Action& action);
void addReportCommand(CLI::App& app, Action& action);
void addWatchCommand(CLI::App& app, Action& action);
void addLogsCommand(CLI::App& app, Action& action);
void addSearchCommand(CLI::App& app, Action& action);
void addMetricsCommand(CLI::App& app, Action& action);
void addStepsCommand(CLI::App& app, Action& action);
void addPlotCommand(CLI::App& app, Action& action);
void addViewsCommand(CLI::App& app, Action& action);
void addSamplesCommand(CLI::App& app, Action& action);
void addSamplesDiffCommand(CLI::App& samples, Action& action);  ///< below the command samples
void addMcpCommand(CLI::App& app, Action& action);
void addAnnotateCommands(CLI::App& app, Action& action);  ///< rename, tag, project, note, look, archive
void addRemoveCommand(CLI::App& app, Action& action);
void addTrashCommand(CLI::App& app, Action& action);
void addDebugCommand(CLI::App& app, Action& action);
void addDiskCommand(CLI::App& app, Action& action);
void addCheckpointsCommand(CLI::App& app, Action& action);
void addCheckpointsExportCommand(CLI::App& checkpoints, Action& action);  ///< this and the next two: below the command checkpoints
void addCheckpointsDiffCommand(CLI::App& checkpoints, Action& action);
void addCheckpointsTensorsCommand(CLI::App& checkpoints, Action& action);
void addCompareCommand(CLI::App& app, Action& action);
void addExportCommand(CLI::App& app, Action& action);
void addImportCommand(CLI::App& app, Action& action);
void addPackCommands(CLI::App& app, Action& action);  ///< pack, unpack
void addDataCommand(CLI::App& app, Action& action);
void addPlanCommand(CLI::App& app, Action& action);
void addPresetsCommand(CLI::App& app, Action& action);
void addOptionsCommand(CLI::App& app, Action& action);
void addReindexCommand(CLI::App& app, Action& action);
void addGpusCommand(CLI::App& app, Action& action);
void addDoctorCommand(CLI::App& app, Action& action);
void addGenerateCommand(CLI::App& app, Action& action);
void addNotifyCommand(CLI::App& app, Action& action);
void addPrepareCommand(CLI::App& app, Action& action);
void addQueueCommand(CLI::App& app, Action& action);
void addManualPagesCommand(CLI::App& app, Action& action);
void addScheduleCommand(CLI::App& app, Action& action);
void addServeCommand(CLI::App& app, Action& action);
void addSuperviseCommand(CLI::App& app, Action& action);

}  // namespace app
