// How far the clocks of a run's hosts differ, from what its ranks have journalled.
//
// [Note: clocks]
// Each host has a clock of its own, which may be minutes ahead or behind. Times of several ranks are compared by the clock of rank 0. How far
// another rank's clock is ahead of it is seen from the steps: all ranks finish a step's reduction at nearly the same moment, so that the
// difference between the times at which two ranks have journalled the same step is that of their clocks. The median over some steps is taken,
// at several moments of an attempt, since clocks drift. Ranks without such steps have the clock of another rank of their host.
#pragma once
#include "engine/contract/run/run_folder.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace contract {

/// What a rank did in an attempt, by its own clock.
struct RankTimes {
    struct Finish {
        std::int64_t step = 0;
        std::int64_t unixMs = 0;  ///< when it was journalled
    };
    int rank = 0;  ///< negative: the supervisor, the machine (journal.h)
    int attempt = 1;
    std::string host;
    std::vector<Finish> finishes;  ///< of ascending steps
};

class RankClocks {
public:
    /// All ranks have the same clock.
    RankClocks() = default;
    /// Differences below a second count as none: journals are not more precise.
    explicit RankClocks(const std::vector<RankTimes>& times);

    bool areOne() const { return m_readings.empty(); }
    /// By how much the clock of @p rank was ahead of rank 0's when it showed @p unixMs, in milliseconds; 0 where that is not known.
    std::int64_t aheadMs(int rank, std::int64_t unixMs) const;
    /// The same at its last reading.
    std::int64_t aheadMs(int rank) const;
    /// What rank 0's clock showed when that of @p rank showed @p unixMs.
    std::int64_t byRankZero(int rank, std::int64_t unixMs) const { return unixMs - aheadMs(rank, unixMs); }
    /// What the clock of @p rank showed when rank 0's showed @p unixMs.
    std::int64_t byRank(int rank, std::int64_t unixMs) const;

    bool operator==(const RankClocks&) const = default;

private:
    struct Reading {
        int attempt = 1;
        std::int64_t unixMs = 0;   ///< by the rank's clock
        std::int64_t aheadMs = 0;
        bool operator==(const Reading&) const = default;
    };
    std::map<int, std::vector<Reading>> m_readings;  ///< by rank, in the order of attempts and times; none of ranks with rank 0's clock
};

/// Reads the beginnings and the ends of the ranks' journals. Never throws: what cannot be read does not count.
RankClocks readRankClocks(const RunFolder& folder);

/// The same, read again at most every ten seconds, for all that ask in this process. May be called on any thread.
std::shared_ptr<const RankClocks> rankClocks(const RunFolder& folder);

}  // namespace contract
