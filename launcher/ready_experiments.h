// The experiments that every installation carries.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace launcher {

struct ReadyExperiment {
    std::string name;            ///< "digits", as `atelier run` takes it
    std::filesystem::path file;  ///< resources/experiments/NAME.toml
    std::string about;           ///< what its file begins with, a few sentences; may be empty
};

/// By name. None where the folder cannot be read.
std::vector<ReadyExperiment> readyExperiments();

}  // namespace launcher
