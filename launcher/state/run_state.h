// Determines the state of a run from its lock and its journals, never from a stored state alone.
#pragma once
#include "engine/contract/run/run_folder.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace launcher {

/// Where a run has no supervisor because torchrun, mpirun or srun has started its ranks, rank 0 stands for it.
enum class RunState {
    Prepared,     ///< no program has started the last attempt yet
    Queued,       ///< the same, and it is in the queue (queue.h); or its job waits in Slurm, for the first time or to go on
    Starting,     ///< the supervisor is alive or being started; no step yet in this attempt
    Running,      ///< the supervisor is alive; a rank has written a record within the stall limit
    Stalled,      ///< the supervisor is alive; no record for max(launch.stall_after, 10 × median step)
    Restarting,   ///< the supervisor is alive and waits before it starts ranks again that have failed (launch.restarts)
    Stopping,     ///< the supervisor is alive and has accepted a stop, or has written its end record
    Finished,     ///< according to the end record
    Stopped,      ///< according to the end record
    Failed,       ///< according to the end record
    Interrupted,  ///< no end record, and no supervisor alive
    Missing,      ///< there is no folder of the run any more
    Imported,     ///< another program has recorded the run, and Atelier only shows it; `cause` says what is known of its end
    CutOff,       ///< the supervisor runs, or ran, on another machine, so its state cannot be known here; `cause` says why
};

std::string_view stateName(RunState state);  ///< "starting", "running" …, as the command line prints it
bool isActive(RunState state);               ///< a supervisor is alive or being started
bool isWaiting(RunState state);              ///< Prepared or Queued: some program may start it at any time

struct RunStatus {
    RunState state = RunState::Interrupted;
    int attempt = 0;              ///< the last one; 0 when there is none
    int ranks = 0;
    std::int64_t step = 0;        ///< of rank 0, in this attempt
    std::int64_t totalSteps = 0;
    std::optional<double> loss;   ///< of rank 0's last step in this attempt; nullopt when the end of its journal has none
    /// Time of rank 0's last record in this attempt; 0 before the first. While the run is active this is by the clock here, see
    /// [Note: silence] in journal_silence.h; afterwards it is the time in the record, which stays correct when files are copied.
    std::int64_t lastRecordUnixMs = 0;
    /// Of Failed, Interrupted, Stalled, Restarting, Imported and CutOff, in one sentence; of other states when the attempt's start.json
    /// cannot be read.
    std::string cause;
    std::string waitsFor;         ///< what Queued, Starting, Restarting or Stopping waits for: "rank 2 loads data"
    std::string activity;         ///< what Running does: "trains", "draws and scores samples of round 3"
    std::string place;            ///< of a run in Slurm: "Slurm job 4711 on n[1-2]"; else empty
    std::string slurmJob;         ///< the number of its job that waits or runs, and can be cancelled; else empty
    std::string rule;             ///< the last rule of the experiment that fired in this attempt; empty: none
    std::int64_t ruleUnixMs = 0;  ///< when it did
    bool wasActive = false;       ///< of CutOff in a mirror: the run was active when its machine was last heard, and did not only wait
    bool isSupervised = true;     ///< false: another launcher has started the ranks, and nobody but readers updates the database
};

/// What a line says after the state's name of what the run waits for: ", waits for 1 free GPU", ": rank 2 loads data"; empty: for nothing.
std::string waitText(const RunStatus& status);

/// Examines the locks (see [Note: the supervisor's lock]), the host and boot id in the lock file, and the ends of the
/// journals. Of a run in a mirror (mirror_state.h) the state is what its machine last said. Reads the last 64 kB of each journal (≤ 5 ms), more only where these say nothing of the state.
/// Never throws; a folder that cannot be read is reported as Interrupted with the reason as `cause`. A start.json that cannot be
/// read does not change the state: ranks and steps then come from the experiment and the journals.
RunStatus inspectRun(const contract::RunFolder& folder);

}  // namespace launcher
