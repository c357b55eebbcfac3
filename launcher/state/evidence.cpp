#include "launcher/state/evidence.h"

#include "engine/contract/run/control.h"
#include "engine/contract/run/journal.h"
#include "engine/contract/run/start_lock.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace launcher {
namespace {

/// Without a supervisor, rank 0's journal and the commands to the ranks say what the supervisor's journal would, except for rules and stalls.
void standInForSupervisor(Evidence& found)
{
    JournalEnd duties = std::move(found.supervisor);  // rank 0 has written it
    found.supervisor = {};
    found.supervisor.rule = std::move(duties.rule);
    found.supervisor.ruleUnixMs = duties.ruleUnixMs;
    found.supervisor.isStalled = duties.isStalled;
    found.supervisor.hasBegun = found.rankZero.hasBegun;
    found.supervisor.outcome = found.rankZero.outcome;
    found.supervisor.cause = found.rankZero.cause;
    contract::CommandReader commands(found.folder.control(), found.start.controlOffset);
    found.supervisor.isStopAccepted = std::ranges::count(commands.poll(), contract::Command::Stop) > 0;
}

}  // namespace

Evidence gatherEvidence(const contract::RunFolder& folder, int attempt)
{
    Evidence found {.folder = folder,
        .start = {},
        .startProblem = {},
        .experiment = contract::loadExperiment(folder.config(attempt)).experiment,
        .isBeingStarted = contract::isBeingStarted(folder),  // before contract::isLocked(); see [Note: the supervisor's lock]
        // Before the journals are read: a supervisor that releases the lock has already written its end record.
        .isLocked = contract::isLocked(folder),
        .owner = contract::lockOwner(folder),
        .supervisor = {},
        .rankZero = {}};
    try {
        found.start = folder.readStart(attempt);
    } catch (const std::exception& error) {
        found.startProblem = error.what();
        found.start.attempt = attempt;
        found.start.ranks = static_cast<int>(found.experiment.integer("launch.ranks"));
    }
    if (found.owner && found.owner->attempt != attempt)
        found.owner.reset();
    std::optional<std::int64_t> beginning;
    if (found.owner)
        beginning = found.owner->journalOffset;
    found.rankZero = readJournalEnd(folder.journal(0), attempt, beginning);
    found.supervisor = readJournalEnd(folder.journal(contract::kSupervisorRank), attempt);
    if (found.owner && found.owner->isRankZero)
        standInForSupervisor(found);
    return found;
}

}  // namespace launcher
