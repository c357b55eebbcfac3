// Notices when no rank has written for too long.
#pragma once
#include "engine/contract/run_folder.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace launcher {

/// Measures with the steady clock, so that setting the machine's clock stalls nobody.
class StallWatch {
public:
    StallWatch(const contract::RunFolder& folder, int attempt, std::int64_t stallAfterSeconds);

    /// @return whether the run was stalled until now.
    bool onRecord();

    /// @return one sentence when a stall begins, else empty.
    std::string check();

private:
    contract::RunFolder m_folder;
    int m_attempt;
    std::int64_t m_stallAfterSeconds;
    std::chrono::steady_clock::time_point m_lastRecord;
    bool m_isStalled = false;
};

}  // namespace launcher
