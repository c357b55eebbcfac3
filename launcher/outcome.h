// Decides how an attempt ended, from how its ranks exited.
#pragma once
#include "launcher/ranks/rank_exit.h"
#include "launcher/state/journal_end.h"

#include <string>
#include <vector>

namespace launcher {

/// How the user asked the run to stop. Ordered: a later value is the harsher request.
enum class StopRequest {
    None,
    AfterStep,  ///< finish the step and write a checkpoint
    Now,        ///< without a checkpoint
    Kill,
};

struct Outcome {
    std::string word;   ///< finished, stopped or failed
    std::string cause;  ///< one sentence; may be empty
};

/// @param exits those of all ranks, in the order in which the supervisor noticed them
/// @param rankZero the end of rank 0's journal
Outcome judgeOutcome(
    const std::vector<RankExit>& exits, StopRequest request, const JournalEnd& rankZero);

}  // namespace launcher
