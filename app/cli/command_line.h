// The command line of `atelier`.
#pragma once
#include <filesystem>
#include <string>

namespace app {

struct CommandLine {
    /// True: no command was given, the window is wanted, with the fields below.
    bool isDesktop = false;
    std::string openRun;               ///< --open, as the id of the run
    bool startDemo = false;            ///< --demo
    std::filesystem::path experiment;  ///< FILE.toml
    int exitCode = 0;                  ///< of the command, when it is not the window
};

/// Parses and, unless the window is wanted, carries out the command. Errors go to standard error.
CommandLine runCommandLine(int argc, char** argv);

}  // namespace app
