// Starts `atelier` as a process that outlives the program that starts it.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace launcher {

struct DetachedProgram {
    std::string name;                              ///< for messages: "the supervisor of run R"
    std::vector<std::string> arguments;            ///< of `atelier`
    std::map<std::string, std::string> variables;  ///< added to the environment
    std::filesystem::path log;                     ///< to which its standard output and error are appended
};

/// Starts the program in a session of its own, without a terminal, and waits, at most 30 s, until it reports by ready_pipe.h that it
/// runs. @throws std::runtime_error in one sentence with the program's reason when it does not.
void startDetached(const DetachedProgram& what);

}  // namespace launcher
