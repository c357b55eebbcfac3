#include "launcher/state/outcome.h"

#include <algorithm>

namespace launcher {
namespace {

bool hasExitedWithSuccess(const std::vector<RankExit>& exits, int rank)
{
    return std::ranges::any_of(
        exits, [rank](const RankExit& exit) { return exit.rank == rank && !exit.isFailure(); });
}

}  // namespace

Outcome judgeOutcome(const std::vector<RankExit>& exits, StopRequest request, const JournalEnd& rankZero)
{
    // Ranks that hung after rank 0 wrote its end record were killed by the supervisor; that does not change the outcome.
    if (hasExitedWithSuccess(exits, 0) && rankZero.outcome == "finished")
        return {"finished", {}};
    if (const auto cause = firstCause(exits))
        return {"failed", describe(*cause)};
    if (request == StopRequest::Kill)
        return {"stopped", "killed by the user"};
    if (request == StopRequest::Now)
        return {"stopped", "stopped now"};
    if (!rankZero.outcome.empty())
        return {rankZero.outcome, rankZero.cause};
    // Every rank exited with success, but rank 0's end record is missing, perhaps because the disk is full.
    return {request == StopRequest::None ? "finished" : "stopped", {}};
}

}  // namespace launcher
