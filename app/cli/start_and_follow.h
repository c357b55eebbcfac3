// Starts a prepared attempt where its experiment says and, unless detached, follows the run to its end.
#pragma once
#include "app/cli/failure.h"
#include "engine/contract/experiment/experiment.h"
#include "launcher/base/data_home.h"
#include "launcher/base/prepared_run.h"

namespace app {

struct StartRequest {
    bool isDetached = false;
    bool isJson = false;  ///< standard output is one JSON document; progress goes to standard error
};

/// @throws Failure when the run cannot be started, fails or is interrupted.
ExitCode startAndFollow(const launcher::DataHome& home, launcher::PreparedRun run,
    const contract::Experiment& experiment, const StartRequest& request);

}  // namespace app
