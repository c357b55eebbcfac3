// How ranks exited, and which exit caused the others.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace launcher {

/// Exit codes of atelier-worker.
namespace worker_exit {
inline constexpr int kSuccess = 0;
inline constexpr int kWrongUsage = 2;
inline constexpr int kLostPeer = 3;
inline constexpr int kOutOfMemory = 4;
inline constexpr int kBadCheckpoint = 5;
inline constexpr int kTimeout = 6;      ///< another rank did not take part in a collective in time
inline constexpr int kNotStarted = -1;  ///< the program could not be executed
}  // namespace worker_exit

struct RankExit {
    int rank = 0;
    bool isSignal = false;
    int code = 0;                    ///< exit code, or the signal's number
    bool endedBySupervisor = false;  ///< it exited after the supervisor had interrupted or killed all ranks
    bool sawOomKill = false;         ///< SIGKILL, and the kernel has just killed a process because memory ran out
    std::int64_t step = 0;           ///< the last step in its journal; 0 when none
    std::string errorText;           ///< its own error message, without the prefix "error: rank 1: "; may be empty

    bool isFailure() const { return isSignal || code != worker_exit::kSuccess; }
};

/// Describes an exit in one sentence: "Rank 1 was killed (signal 9, out of memory) after step 4120".
std::string whatHappened(const RankExit& exit);
/// The same, and which log may tell more when the rank has not said why it failed.
std::string describe(const RankExit& exit);

/// Returns the failure that caused the others: the first fault of a rank's own, else the first timeout, else the first lost
/// peer, in whatever order the exits were noticed. Returns nullopt when no rank failed by itself.
std::optional<RankExit> firstCause(const std::vector<RankExit>& inOrder);

/// Returns the text of the last line "error: rank R: …" in @p log, without that prefix; empty when there is none.
/// @param log the end of the rank's log
std::string lastErrorLine(const std::string& log, int rank);

}  // namespace launcher
