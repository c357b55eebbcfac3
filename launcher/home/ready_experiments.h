// The experiments that are installed with Atelier.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace launcher {

struct ReadyExperiment {
    std::string name;            ///< argument for `atelier run`, for example "digits"
    std::filesystem::path file;  ///< resources/experiments/NAME.toml
    std::string about;           ///< the comment at the top of the file, a few sentences; may be empty
};

/// Sorted by name. Empty when the folder cannot be read.
std::vector<ReadyExperiment> readyExperiments();

}  // namespace launcher
