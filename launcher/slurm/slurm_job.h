// What a run's folder says of its job in Slurm. See [Note: runs in Slurm] in slurm_script.h.
#pragma once
#include "engine/contract/run/run_folder.h"
#include "engine/contract/run/supervisor_lock.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace launcher {

/// slurm/job.json: the job that was submitted last.
struct SlurmJob {
    std::string id;   ///< "4711"
    int attempt = 1;  ///< the first that it starts
    std::int64_t submittedUnixMs = 0;
};

/// slurm/seen.json: what Slurm last said of the job.
struct SlurmSighting {
    std::string state = "PENDING";  ///< Slurm's word; "UNKNOWN": Slurm does not know the job any more
    std::string reason = {};        ///< why it waits, Slurm's word: "Resources"; empty or "None" without one
    std::string nodes = {};         ///< "n[1-2]"; empty while it waits
    std::string start = {};         ///< when Slurm expects to start it, or has started it: "2026-11-23T23:24:39"; empty when it is not known
    std::string problem = {};     ///< why Slurm gave no answer when it was asked last, in one sentence; the rest is then what it said before
    std::int64_t seenUnixMs = 0;  ///< when it was asked; 0: never

    bool isOver() const;      ///< the job will not run again
    bool isRunning() const;   ///< its script runs
    bool isEnding() const;    ///< its script has ended, and its nodes are not free yet
};

std::filesystem::path slurmFolder(const contract::RunFolder& folder);
std::filesystem::path slurmScriptFile(const contract::RunFolder& folder);

/// nullopt when the run was not submitted to Slurm, its last attempt was prepared or started without it since, or the file is damaged.
std::optional<SlurmJob> slurmJob(const contract::RunFolder& folder);
/// The default when nothing is known yet of @p job.
SlurmSighting lastSighting(const contract::RunFolder& folder, const SlurmJob& job);

/// The job of a run that waits, runs, or may be requeued, as far as is known; nullopt when there is none.
std::optional<SlurmJob> liveSlurmJob(const contract::RunFolder& folder);

/// Whether the rank 0 that took the run's lock last was started by the present run of the job's script, which writes slurm/begun, and not
/// before the job was requeued.
bool isOfPresentStart(const contract::RunFolder& folder, const contract::LockOwner& rankZero);

/// @throws std::system_error naming the file.
void writeSlurmJob(const contract::RunFolder& folder, const SlurmJob& job);
void writeSighting(const contract::RunFolder& folder, const SlurmJob& job, const SlurmSighting& sighting);

}  // namespace launcher
