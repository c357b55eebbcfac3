// What files and locks say of an attempt: the state of a run is computed from this alone.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/run/run_folder.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/state/journal_end.h"

#include <optional>
#include <string>

namespace launcher {

struct Evidence {
    contract::RunFolder folder;
    contract::AttemptStart start;
    std::string startProblem;        ///< why the start record cannot be read; start then has what the experiment says
    contract::Experiment experiment;
    bool isBeingStarted = false;     ///< a process holds the start lock
    bool isLocked = false;           ///< a supervisor holds the run's lock
    std::optional<contract::LockOwner> owner;  ///< nullopt when the lock file is of an earlier attempt
    JournalEnd supervisor;
    JournalEnd rankZero;
};

/// Reads what there is of @p attempt. A start record that cannot be read is reported in startProblem.
Evidence gatherEvidence(const contract::RunFolder& folder, int attempt);

}  // namespace launcher
