// Notices that no rank of a run without a supervisor writes records any more. It has a thread of its own, because its rank may itself wait for the
// one that hangs.
#pragma once
#include "engine/contract/run/run_folder.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace engine {

/// Measures with the steady clock how long no journal of a rank has grown, since the hosts' clocks may differ.
class ProgressWatch {
public:
    using OnStall = std::function<void(std::int64_t lastStep, const std::string& sentence)>;

    /// @param patience by what the stall limit is multiplied
    /// @param onStall, onRecovery called in turn on the watch's thread, once for each time that the ranks hang
    ProgressWatch(const contract::RunFolder& folder, int ranks, std::int64_t stallAfterSeconds, double patience, OnStall onStall,
        std::function<void()> onRecovery);

    /// Before the first step nothing counts as a stall, because starting may take long.
    void stepDone(std::int64_t step);

    /// Returns when the thread has ended.
    void stop();

private:
    using Clock = std::chrono::steady_clock;

    void run(const std::stop_token& stopping);
    void look();
    std::uintmax_t journalBytes() const;
    std::chrono::milliseconds limit() const;

    contract::RunFolder m_folder;
    int m_ranks;
    std::int64_t m_stallAfterSeconds;
    double m_patience;
    OnStall m_onStall;
    std::function<void()> m_onRecovery;

    // Of the thread.
    std::uintmax_t m_bytes = 0;
    Clock::time_point m_lastRecord = Clock::now();
    bool m_isStalled = false;

    mutable std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::deque<std::pair<std::int64_t, Clock::time_point>> m_steps;  ///< the last ones
    std::jthread m_thread;  ///< last, because it uses the others
};

}  // namespace engine
