// How ranks ended, and which of their ends was the cause of the others.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace launcher {

/// Exit codes of atelier-worker.
namespace worker_exit {
inline constexpr int kSuccess = 0;
inline constexpr int kLostPeer = 3;
inline constexpr int kOutOfMemory = 4;
inline constexpr int kNotStarted = -1;  ///< the program could not be executed
}  // namespace worker_exit

struct RankExit {
    int rank = 0;
    bool isSignal = false;
    int code = 0;              ///< exit code, or the signal's number
    bool wasOurs = false;      ///< it ended because the supervisor ended it
    bool sawOomKill = false;   ///< the kernel killed something for memory in this group at that time
    std::int64_t step = 0;     ///< the last that it journalled; 0 when none
    std::string sentence;      ///< its own last words, without "error: rank 1: "

    bool isFailure() const { return isSignal || code != worker_exit::kSuccess; }
};

/// One sentence: "Rank 1 was killed (signal 9, out of memory) at step 4120".
std::string describe(const RankExit& exit);

/// The first that is not itself a consequence: a rank that lost its peer comes after one that died, even
/// when it was noticed earlier. Nothing when no rank failed of itself.
std::optional<RankExit> firstCause(const std::vector<RankExit>& inOrder);

/// What a rank said last on standard error, "" when it said nothing fit.
/// @param log the end of its log
std::string lastWords(const std::string& log, int rank);

}  // namespace launcher
