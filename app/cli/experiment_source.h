// Reads the experiment that a command line describes: a file, a ready experiment or that of a run, with changes.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/run/run_folder.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace app {

/// The changes that a command line makes to an experiment.
struct ExperimentChanges {
    std::vector<std::string> settings;  ///< arguments of --set, "key=value"
    std::string name;                   ///< argument of --name; empty: unchanged
    std::string nameEnding = {};        ///< appended to the name
    std::vector<std::pair<std::string, std::string>> varied = {};  ///< of a run of a sweep: the settings that list several values, and its own
};

/// The changes of each run of a sweep: one for every combination of the values that settings list, as in optim.lr=1e-4,3e-4, the last
/// list varying fastest; the values end the names. Only numbers, choices and yes/no options are listed: texts may have commas in them.
/// @throws Failure when these are more than 10,000 runs.
std::vector<ExperimentChanges> combinations(const ExperimentChanges& changes);

/// @throws Failure when @p changes list values, so that they make several runs, which only the queue takes.
void requireOneRun(const ExperimentChanges& changes);

/// Stands for standard input as an experiment file; paths in it are relative to the current folder.
constexpr char kStandardInput[] = "-";

/// Reads an experiment file, or standard input once.
contract::ParsedExperiment parsedExperiment(const std::filesystem::path& file);

/// Returns the file @p fileOrName, which may be kStandardInput, or, when there is no such file, that of the ready experiment or the preset of this name.
/// @throws Failure that lists ready experiments and presets when it is none of them.
std::filesystem::path experimentFile(const std::string& fileOrName);

/// Reads the file, applies @p changes and validates. @throws Failure with every problem, one per line: those of the file
/// with line numbers, those of --set, and those of the experiment as a whole.
contract::Experiment readExperiment(const std::filesystem::path& file, const ExperimentChanges& changes);

/// The same, starting from the experiment of the run's last attempt.
contract::Experiment lastExperiment(const contract::RunFolder& folder, const ExperimentChanges& changes);

}  // namespace app
