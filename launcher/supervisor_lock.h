// The lock that says whether a run's supervisor is alive.
//
// [Note: the supervisor's lock]
// A supervisor holds an open-file-description lock on supervisor.lock for its life. The kernel releases it
// with the process, however that ends, so a reused process id or a reboot fools nobody: only whether the
// lock is *held* says that a supervisor lives. What the file says (who took it, where, for which attempt)
// explains and is never proof, except for the host: on a network disk another machine's lock may be
// invisible here.
// It is the file's first byte that is locked. Whoever prepares an attempt locks the second one (start_lock.h)
// until the supervisor has the first: whoever looks at the second byte first and at the first byte next finds
// one of them locked, from before the attempt can be seen.
#pragma once
#include "engine/contract/run_folder.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace launcher {

/// Who took the lock last.
struct LockOwner {
    int attempt = 0;
    std::int64_t processId = 0;
    std::int64_t startTicks = 0;  ///< field 22 of /proc/PID/stat: tells a reused id from the same process
    std::string bootId;
    std::string host;
    /// Size of rank 0's journal when the attempt began: what lies behind is this attempt's.
    std::int64_t journalOffset = 0;
};

std::string hostName();
std::string bootId();

class SupervisorLock {
public:
    explicit SupervisorLock(const contract::RunFolder& folder);
    ~SupervisorLock();
    SupervisorLock(const SupervisorLock&) = delete;
    SupervisorLock& operator=(const SupervisorLock&) = delete;

    /// @return empty when it is taken, else why not, in one sentence.
    std::string take();

    /// Writes who we are. Best effort: on a full disk the lock still holds.
    void describe(int attempt);

    void release();

private:
    contract::RunFolder m_folder;
    int m_descriptor = -1;
};

/// Whether some process holds it, without disturbing one that is about to take it.
bool isLocked(const contract::RunFolder& folder);

/// "run R is already looked after by process 12 on host; stop it first"
std::string takenBy(const contract::RunFolder& folder);

/// Blocks until no supervisor is alive.
void waitForSupervisor(const contract::RunFolder& folder);

/// Nothing when there is no lock file or it is damaged.
std::optional<LockOwner> lockOwner(const contract::RunFolder& folder);

}  // namespace launcher
