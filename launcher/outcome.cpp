#include "launcher/outcome.h"

#include <algorithm>

namespace launcher {
namespace {

bool hasLeftInOrder(const std::vector<RankExit>& exits, int rank)
{
    return std::ranges::any_of(
        exits, [rank](const RankExit& exit) { return exit.rank == rank && !exit.isFailure(); });
}

}  // namespace

Outcome judgeOutcome(const std::vector<RankExit>& exits, Leaving leaving, const JournalEnd& rankZero)
{
    // Ranks that hung after rank 0 had said the end were ended by us and change nothing.
    if (hasLeftInOrder(exits, 0) && rankZero.outcome == "finished")
        return {"finished", {}};
    if (const auto cause = firstCause(exits))
        return {"failed", describe(*cause)};
    if (leaving == Leaving::Killed)
        return {"stopped", "killed by the user"};
    if (leaving == Leaving::Now)
        return {"stopped", "stopped now"};
    if (!rankZero.outcome.empty())
        return {rankZero.outcome, rankZero.cause};
    // It left with success; only its last word is missing, for a full disk perhaps.
    return {leaving == Leaving::No ? "finished" : "stopped", {}};
}

}  // namespace launcher
