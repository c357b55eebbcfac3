// What commands that start, prepare or queue an experiment have in common.
#pragma once
#include "app/cli/experiment_source.h"
#include "launcher/base/data_home.h"

#include <filesystem>
#include <string>

namespace CLI {
class App;
}

namespace app {

/// The experiment that a command line names.
struct ExperimentChoice {
    std::string file;  ///< FILE: a file, a ready experiment or a preset
    std::string like;  ///< --like RUN
};

/// Adds FILE and --like, one of which must be given.
void addExperimentChoice(CLI::App& command, ExperimentChoice& choice);

/// The experiment's file: that of the last attempt of the run that --like names, otherwise experimentFile(). @throws Failure
std::filesystem::path chosenFile(const launcher::DataHome& home, const ExperimentChoice& choice);

/// Whether a command takes several values of an option, as those do that put runs into the queue.
enum class SetValues { One, Listed };

/// Adds --set and --profile-steps, which fill @p changes.
void addExperimentOptions(CLI::App& command, ExperimentChanges& changes, SetValues values = SetValues::One);

/// Prints the warnings of launcher::preflight(). @throws Failure with all its errors, one per line.
void checkPreflight(const launcher::DataHome& home, const contract::Experiment& experiment);

}  // namespace app
