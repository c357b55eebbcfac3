// Detects that no rank has written a record for too long.
#pragma once
#include "engine/contract/run/run_folder.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace launcher {

/// Measures with the steady clock, so that setting the machine's clock does not look like a stall.
class StallWatch {
public:
    /// @param journalOffset size of rank 0's journal before the ranks were started
    StallWatch(const contract::RunFolder& folder, int attempt, std::int64_t journalOffset, std::int64_t stallAfterSeconds);

    /// Call when a rank has written. @return whether the run was stalled until now.
    bool onRecord();

    /// Call regularly. @return one sentence when a stall begins, else empty.
    std::string check();

private:
    contract::RunFolder m_folder;
    int m_attempt;
    std::int64_t m_journalOffset;
    std::int64_t m_stallAfterSeconds;
    std::chrono::steady_clock::time_point m_lastRecord;
    bool m_isStalled = false;
};

}  // namespace launcher
