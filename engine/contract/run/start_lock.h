// The lock that marks a run whose supervisor is about to be started.
#pragma once
#include "engine/contract/run/run_folder.h"

#include <string>

namespace contract {

/// Held from before a new attempt becomes visible until its supervisor holds the run's lock, so that the run never appears
/// to be interrupted in between; see [Note: the supervisor's lock] in supervisor_lock.h. Only one process can hold it.
class StartLock {
public:
    StartLock() = default;
    StartLock(StartLock&& other) noexcept;
    StartLock& operator=(StartLock&& other) noexcept;
    StartLock(const StartLock&) = delete;
    StartLock& operator=(const StartLock&) = delete;
    ~StartLock();

    /// @return empty when the lock was taken, else why not, in one sentence.
    std::string take(const RunFolder& folder);
    void release();

private:
    int m_descriptor = -1;
};

/// Whether a process holds the start lock of the run.
bool isBeingStarted(const RunFolder& folder);

}  // namespace contract
