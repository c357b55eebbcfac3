// The queue's plan in the terminal: a bar for each run.
#pragma once
#include "app/cli/command.h"
#include "launcher/base/data_home.h"

namespace app {

/// Prints when the active runs are expected to end, and those that wait to start.
ExitCode showQueuePlan(const launcher::DataHome& home, bool isJson);

}  // namespace app
