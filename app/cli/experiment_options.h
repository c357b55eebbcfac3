// What commands that start, prepare or queue an experiment have in common.
#pragma once
#include "app/cli/experiment_source.h"
#include "launcher/data_home.h"

namespace CLI {
class App;
}

namespace app {

/// Adds --set and --profile-steps, which fill @p changes.
void addExperimentOptions(CLI::App& command, ExperimentChanges& changes);

/// Prints the warnings of launcher::preflight(). @throws Failure with all its errors, one per line.
void checkPreflight(const launcher::DataHome& home, const contract::Experiment& experiment);

}  // namespace app
