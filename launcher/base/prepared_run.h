// A run that is about to be started.
#pragma once
#include "engine/contract/run/run_folder.h"
#include "engine/contract/run/start_lock.h"

#include <string>

namespace launcher {

/// A run with a new attempt whose supervisor has not been started yet. While `lock` is held, inspectRun() reports the run
/// as starting, so keep the object until startSupervisor() has returned.
struct PreparedRun {
    contract::RunFolder folder;
    int attempt = 1;
    contract::StartLock lock;
    std::string notice = {};  ///< a sentence for the user, which the journal will hold as well: damaged checkpoints that were passed over
};

}  // namespace launcher
