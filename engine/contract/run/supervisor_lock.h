// The lock that shows whether a run's supervisor is alive.
//
// [Note: the supervisor's lock]
// A supervisor holds an open-file-description lock on supervisor.lock as long as it runs. The kernel releases the lock
// when the process ends, however it ends, so neither a reused process id nor a reboot can mislead: a supervisor is alive
// exactly while the lock is *held*. The content of the file (process, host, attempt) is used in messages, never as proof
// that a supervisor is alive. Only the host matters: a lock held on another machine may be invisible on a network disk.
// The supervisor locks the first byte of the file. A program that prepares an attempt locks the second byte
// (start_lock.h) until the supervisor holds the first. So code that checks the second byte and then the first finds at
// least one of them locked at any time from before the attempt becomes visible.
// When other launchers (torchrun, mpirun, srun) start the ranks, there is no supervisor: rank 0 then locks both bytes in its place.
// An attempt is started once: who holds the first byte starts only an attempt that the file does not name yet (hasStarted()).
#pragma once
#include "engine/contract/run/run_folder.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace contract {

/// The process that took the lock last, as written in the lock file.
struct LockOwner {
    int attempt = 0;
    bool isRankZero = false;      ///< the run has no supervisor; this is the process of rank 0
    std::int64_t processId = 0;
    std::int64_t startTicks = 0;  ///< field 22 of /proc/PID/stat: distinguishes a reused process id from the same process
    std::string bootId;
    std::string host;
    /// Size of rank 0's journal when the attempt began; everything after it belongs to this attempt.
    std::int64_t journalOffset = 0;
};

std::string hostName();
std::string bootId();

class SupervisorLock {
public:
    explicit SupervisorLock(const RunFolder& folder);
    ~SupervisorLock();
    SupervisorLock(const SupervisorLock&) = delete;
    SupervisorLock& operator=(const SupervisorLock&) = delete;

    /// @return empty when the lock was taken, else why not, in one sentence.
    std::string take();

    /// Writes this process's LockOwner into the file. Best effort: the lock is held even when the disk is full.
    void describe(int attempt, bool isRankZero = false);

    void release();

private:
    RunFolder m_folder;
    int m_descriptor = -1;
};

/// Whether a process holds the run's lock. Only queries it, so a concurrent take() cannot fail because of this call.
bool isLocked(const RunFolder& folder);

/// Whether the ranks of @p attempt have been started at some time. The answer holds while the caller has the lock.
bool hasStarted(const RunFolder& folder, int attempt);

/// Field 22 of /proc/PID/stat; 0 when there is no such process.
std::int64_t startTicksOf(std::int64_t processId);

/// "run R already has a supervisor, process 12 on host; stop the run first"
std::string alreadySupervisedMessage(const RunFolder& folder);

/// Blocks until no process holds the run's lock: neither its supervisor nor, without one, rank 0.
void waitForSupervisor(const RunFolder& folder);

/// Returns nullopt when there is no lock file or it is damaged.
std::optional<LockOwner> lockOwner(const RunFolder& folder);

}  // namespace contract
