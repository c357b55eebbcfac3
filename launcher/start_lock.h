// The lock that says that somebody is about to start a run's supervisor.
#pragma once
#include "engine/contract/run_folder.h"

#include <string>

namespace launcher {

/// Held from before an attempt can be seen until its supervisor holds the run's lock, so that the run is never
/// taken for one that nobody runs; see [Note: the supervisor's lock] in supervisor_lock.h. Two exclude each other.
class StartLock {
public:
    StartLock() = default;
    StartLock(StartLock&& other) noexcept;
    StartLock& operator=(StartLock&& other) noexcept;
    StartLock(const StartLock&) = delete;
    StartLock& operator=(const StartLock&) = delete;
    ~StartLock();

    /// @return empty when it is taken, else why not, in one sentence.
    std::string take(const contract::RunFolder& folder);
    void release();

private:
    int m_descriptor = -1;
};

/// Whether some process holds it.
bool isBeingStarted(const contract::RunFolder& folder);

}  // namespace launcher
