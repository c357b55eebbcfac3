#include "launcher/ranks/rank_exit.h"

#include <algorithm>
#include <csignal>
#include <string_view>

namespace launcher {
namespace {

struct SignalText {
    int number;
    const char* verb;
    const char* meaning;
};

constexpr SignalText kSignalTexts[] = {
    {SIGSEGV, "crashed", "invalid memory access"},
    {SIGBUS, "crashed", "bus error; the shared memory or disk may be full"},
    {SIGABRT, "crashed", "aborted"},
    {SIGFPE, "crashed", "arithmetic error"},
    {SIGILL, "crashed", "illegal instruction; it may be built for another processor"},
};

std::string describeSignal(const RankExit& exit)
{
    const auto* known = std::ranges::find(kSignalTexts, exit.code, &SignalText::number);
    const bool isCrash = known != std::end(kSignalTexts);
    std::string text = std::string(isCrash ? known->verb : "was killed") + " (signal "
        + std::to_string(exit.code);
    if (isCrash)
        text.append(", ").append(known->meaning);
    if (exit.sawOomKill)
        text += ", out of memory";
    return text + ")";
}

std::string describeCode(int code)
{
    switch (code) {
    case worker_exit::kNotStarted:
        return "could not be started";
    case worker_exit::kSuccess:
        return "exited";
    case worker_exit::kLostPeer:
        return "lost its peers";
    case worker_exit::kOutOfMemory:
        return "ran out of memory";
    case worker_exit::kTimeout:
        return "waited too long for another rank";
    default:
        return "failed (exit code " + std::to_string(code) + ")";
    }
}

/// How surely an exit is the consequence of another rank's: 0 for a fault of its own, 1 for a timeout, 2 for a lost peer.
int consequenceRank(const RankExit& exit)
{
    if (exit.isSignal)
        return 0;
    return exit.code == worker_exit::kLostPeer ? 2 : exit.code == worker_exit::kTimeout ? 1 : 0;
}

}  // namespace

std::string whatHappened(const RankExit& exit)
{
    std::string text = "Rank " + std::to_string(exit.rank) + " "
        + (exit.isSignal ? describeSignal(exit) : describeCode(exit.code));
    text += exit.step > 0 ? " after step " + std::to_string(exit.step) : " before the first step";
    return exit.errorText.empty() ? text : text + ": " + exit.errorText;
}

std::string describe(const RankExit& exit)
{
    const bool isUnexplained = exit.isFailure() && exit.errorText.empty();
    return whatHappened(exit) + (isUnexplained ? "; its log is logs/rank-" + std::to_string(exit.rank) + ".log" : std::string());
}

std::optional<RankExit> firstCause(const std::vector<RankExit>& inOrder)
{
    std::optional<RankExit> cause;
    for (const RankExit& exit : inOrder) {
        if (exit.isFailure() && !exit.endedBySupervisor && (!cause || consequenceRank(exit) < consequenceRank(*cause)))
            cause = exit;
    }
    return cause;
}

std::string lastErrorLine(const std::string& log, int rank)
{
    const std::string prefix = "error: rank " + std::to_string(rank) + ": ";
    auto begin = log.rfind(prefix);
    while (begin != std::string::npos && begin > 0 && log[begin - 1] != '\n')
        begin = log.rfind(prefix, begin - 1);
    if (begin == std::string::npos)
        return {};
    begin += prefix.size();
    return log.substr(begin, std::min(log.find('\n', begin), log.size()) - begin);
}

}  // namespace launcher
