// Makes run folders and starts their supervisors.
#pragma once
#include "engine/contract/experiment.h"
#include "engine/contract/run_folder.h"
#include "launcher/data_home.h"
#include "launcher/start_lock.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace launcher {

/// A run with an attempt that no supervisor runs yet. While the lock is held the run is seen as starting: keep it
/// until startSupervisor() has returned.
struct PreparedRun {
    contract::RunFolder folder;
    int attempt = 1;
    StartLock lock;
};

/// Creates the folder of a new run with attempt 1 prepared. The experiment must be valid.
/// @throws std::runtime_error in one sentence naming what could not be written and why.
PreparedRun createRun(const DataHome& home, const contract::Experiment& experiment);

/// Prepares the next attempt, from @p checkpointStep or from the latest checkpoint (from scratch when
/// there is none), with @p experiment in place of the last attempt's when given.
/// @throws std::runtime_error when the run is active, names a checkpoint that is missing or damaged, or has
/// finished and would have no step left to make.
PreparedRun prepareResume(const contract::RunFolder& folder, std::optional<std::int64_t> checkpointStep,
    const std::optional<contract::Experiment>& experiment);

/// Starts `atelier supervise FOLDER` detached (own session, no terminal; it survives this process) and
/// waits until it holds the run's lock. @throws std::runtime_error with its reason otherwise.
void startSupervisor(const contract::RunFolder& folder);

/// What stands against starting, each in one sentence naming the thing: worker program, data home's rights,
/// free disk, data file. Quick (≤ 2 s).
struct PreflightItem {
    enum class Level { Ok, Warning, Error };
    Level level = Level::Ok;
    std::string what;     ///< "Disk"
    std::string message;  ///< "80.1 GB free, about 0.2 GB needed for checkpoints"
};
std::vector<PreflightItem> preflight(const DataHome& home, const contract::Experiment& experiment);

/// Path of a program of ours (atelier, atelier-worker) beside the running one.
std::string programPath(const std::string& name);

/// Moves a run's folder to the trash. @throws std::runtime_error when it is active.
void moveToTrash(const DataHome& home, const contract::RunFolder& folder);
/// Undoes it. @return the folder in its old place.
contract::RunFolder restoreFromTrash(const DataHome& home, const std::string& runId);

}  // namespace launcher
