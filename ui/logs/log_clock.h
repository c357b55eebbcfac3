// The times of a log's lines by the clock of rank 0, so that lines of several hosts can be put in order ([Note: clocks] in
// engine/contract/run/rank_clocks.h).
#pragma once
#include "engine/contract/run/rank_clocks.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace ui {

/// The rank whose log @p file is: of "rank-12.log" 12; -1: the supervisor's, or no rank's.
int rankOfLog(const std::filesystem::path& file);

/// "10:00", minutes and seconds, for 600,000 ms ahead or behind.
std::string clockDifference(std::int64_t aheadMs);

class LogClock {
public:
    /// Rank 0's clock.
    LogClock() = default;
    /// Of the log @p file in a run's folder.
    LogClock(std::shared_ptr<const contract::RankClocks> clocks, const std::filesystem::path& file);

    /// @param unixMs a time in the log. @return the same by rank 0's clock
    std::int64_t byRankZero(std::int64_t unixMs) const;
    /// By how much the clock is ahead of rank 0's in the end, in milliseconds.
    std::int64_t aheadMs() const { return m_aheadMs; }
    /// Whether @p other shows about the same, so that lines need not be put in order again.
    bool isLike(const LogClock& other) const;

private:
    std::shared_ptr<const contract::RankClocks> m_clocks;  ///< null: no correction
    int m_rank = 0;
    std::int64_t m_aheadMs = 0;
};

/// The clock of each of the log files of one run.
std::vector<LogClock> clocksOf(const std::vector<std::string>& files);

}  // namespace ui
