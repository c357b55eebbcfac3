// How an attempt ended, from its ranks' ends.
#pragma once
#include "launcher/journal_end.h"
#include "launcher/rank_exit.h"

#include <string>
#include <vector>

namespace launcher {

/// How a person asked the run to leave; the harder, the later.
enum class Leaving {
    No,
    AfterStep,  ///< with a checkpoint
    Now,        ///< without one
    Killed,
};

struct Outcome {
    std::string word;  ///< finished, stopped, failed
    std::string cause;
};

/// @param exits of every rank, in the order in which they were noticed
Outcome judgeOutcome(
    const std::vector<RankExit>& exits, Leaving leaving, const JournalEnd& rankZero);

}  // namespace launcher
