// Creates run folders and starts supervisors.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/run/run_folder.h"
#include "engine/contract/run/start_lock.h"
#include "launcher/base/data_home.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace launcher {

/// A run with a new attempt whose supervisor has not been started yet. While `lock` is held, inspectRun() reports the run
/// as starting, so keep the object until startSupervisor() has returned.
struct PreparedRun {
    contract::RunFolder folder;
    int attempt = 1;
    contract::StartLock lock;
    std::string notice = {};  ///< a sentence for the user, which the journal will hold as well: damaged checkpoints that were passed over
};

/// Creates the folder of a new run with attempt 1 prepared. The experiment must be valid.
/// @throws std::runtime_error in one sentence naming what could not be written and why.
PreparedRun createRun(const DataHome& home, const contract::Experiment& experiment);

/// Takes attempt @p attempt, which was prepared before, in order to start it. @throws std::runtime_error when it is not the last one,
/// or has been started.
PreparedRun takePrepared(const contract::RunFolder& folder, int attempt);

/// Deletes the last attempt, so that the run is what it was before prepareResume(); no-op when it is the first one.
/// @throws std::runtime_error when it has been started.
void discardPrepared(const contract::RunFolder& folder, int attempt);

/// Prepares the next attempt, in place of one that has not been started. It resumes from @p checkpointStep if given, else from the latest checkpoint whose manifest and
/// file sizes are right (PreparedRun::notice then names the later ones), else from scratch when the run has none. What the
/// files hold is checked when they are loaded. Uses @p experiment if given, else that of the last attempt.
/// @throws std::runtime_error when the run is active, when the checkpoint is missing, damaged or of another model, or when
/// the run has finished and no step is left.
PreparedRun prepareResume(const contract::RunFolder& folder, std::optional<std::int64_t> checkpointStep,
    const std::optional<contract::Experiment>& experiment);

/// Starts `atelier supervise FOLDER` detached (own session, no terminal; it survives this process) and waits, at most
/// 30 s, until it reports that the ranks have started. They see the GPUs that the last attempt's launch.gpus names, or free ones,
/// unless @p variables has CUDA_VISIBLE_DEVICES. @throws std::runtime_error with the supervisor's reason when it
/// cannot start, or when too few GPUs are free.
/// @param variables added to the environment of the supervisor and its ranks
void startSupervisor(const contract::RunFolder& folder, const std::map<std::string, std::string>& variables = {});

/// Starts a prepared attempt where its launch.target says: by startSupervisor(), or as a job of Slurm (slurm_client.h), which may have to wait
/// there. Gives up the start lock of a job. Throws as these do.
void startPrepared(PreparedRun& run, const std::map<std::string, std::string>& variables = {});

/// Path of one of Atelier's programs, "atelier" or "atelier-worker": $ATELIER_PROGRAM or $ATELIER_WORKER when set, else in
/// the folder of the running program. The file may not exist.
std::string programPath(const std::string& name);

}  // namespace launcher
