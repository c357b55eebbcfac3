// Commands that are executed on another machine: `atelier --host HOST COMMAND`.
#pragma once
#include "app/cli/failure.h"
#include "launcher/remote/remote_host.h"

#include <string>
#include <vector>

namespace app {

/// Becomes ssh, which executes the command on @p host: input, outputs and exit code are the command's, or 255 when there is no
/// connection. Experiment files of this machine that a command names are passed along.
/// @throws Failure when ssh cannot be started, and before anything is sent when a file is not readable or gives a relative path.
ExitCode executeThere(const launcher::RemoteHost& host, const std::vector<std::string>& arguments);

}  // namespace app
