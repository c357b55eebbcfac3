// The command line of `atelier`.
#pragma once
#include "launcher/remote/remote_host.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace app {

struct CommandLine {
    /// True when no command was given: the caller opens the window with the fields below.
    bool isDesktop = false;
    std::string openRun;               ///< --open, resolved to the id of the run
    bool startDemo = false;            ///< --demo
    std::filesystem::path experiment;  ///< FILE.toml
    std::optional<launcher::RemoteHost> host = {};  ///< --host
    std::vector<std::string> qtArguments;  ///< options for Qt, such as "-style", "fusion"
    int exitCode = 0;                  ///< of the command; unused when isDesktop
};

/// Parses the command line and executes the command, if one was given. Errors go to standard error.
CommandLine runCommandLine(int argc, char** argv);

}  // namespace app
