// The experiment that a command line describes: a file or a ready experiment, with changes.
#pragma once
#include "engine/contract/experiment.h"
#include "engine/contract/run_folder.h"

#include <filesystem>
#include <string>
#include <vector>

namespace app {

/// `--set key=value` as given, and `--name`.
struct ExperimentChanges {
    std::vector<std::string> settings;
    std::string name;  ///< empty: as it is
};

/// FILE, or the ready experiment of that name when there is no such file.
/// @throws Failure naming the ready experiments when it is neither.
std::filesystem::path experimentFile(const std::string& fileOrName);

/// Reads, changes and validates. @throws Failure with every problem, one a line: the file's with its line
/// numbers, those of --set, and those of the whole.
contract::Experiment readExperiment(const std::filesystem::path& file, const ExperimentChanges& changes);

/// The same, starting from what the last attempt of a run was started with.
contract::Experiment lastExperiment(const contract::RunFolder& folder, const ExperimentChanges& changes);

}  // namespace app
