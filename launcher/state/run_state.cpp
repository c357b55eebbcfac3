#include "launcher/state/run_state.h"

#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/run/origin.h"
#include "engine/contract/run/stall.h"
#include "engine/contract/run/start_lock.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/base/file_end.h"
#include "launcher/queue/queue.h"
#include "launcher/state/evidence.h"
#include "launcher/state/journal_silence.h"
#include "launcher/state/mirror_state.h"
#include "launcher/state/slurm_state.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <vector>

namespace launcher {
namespace {

std::string rankText(int rank) { return "rank " + std::to_string(rank); }

/// When a rank began what it does, by the clock that sets the files' modification times: it is the same for all ranks.
std::int64_t phaseBegin(const JournalEnd& end) { return end.writtenUnixMs - (end.lastRecordUnixMs - end.phaseUnixMs); }

/// Describes the rank for which the others wait before the first step: "rank 1 loads data".
std::string slowestStarter(const Evidence& found)
{
    std::string slowest;
    std::int64_t since = 0;
    for (int rank = 0; rank < found.start.ranks; ++rank) {
        const JournalEnd end = rank == 0
            ? found.rankZero
            : readJournalEnd(found.folder.journal(rank), found.start.attempt);
        if (end.lastRecordUnixMs == 0)
            return rankText(rank) + " starts";
        if (end.phase.empty() || end.phase == "trains" || (!slowest.empty() && phaseBegin(end) >= since))
            continue;
        slowest = rankText(rank) + " " + end.phase;
        since = phaseBegin(end);
    }
    return slowest.empty() ? "the ranks prepare the first step" : slowest;
}

std::string lastToStop(const Evidence& found)
{
    const bool isSupervised = !found.owner || !found.owner->isRankZero;
    if (isSupervised && !found.supervisor.outcome.empty())
        return "the supervisor updates the database";
    if (!found.rankZero.outcome.empty())
        return "the ranks exit";
    if (!found.rankZero.phase.empty())
        return "rank 0 " + found.rankZero.phase;
    if (!found.rankZero.hasStep)
        return slowestStarter(found);
    return "rank 0 finishes step " + std::to_string(found.rankZero.step + 1);
}

/// Whether the ranks that matter run on this host.
bool isHere(const Evidence& found) { return !found.owner || found.owner->host == contract::hostName(); }

JournalSilence silenceOf(const Evidence& found, int rank, const JournalEnd& end)
{
    return journalSilence(found.folder.journal(rank), end, isHere(found));
}

/// For how long no rank has written to its journal, and which rank is furthest behind.
struct Silence {
    std::chrono::milliseconds time {};
    int rank = 0;
    std::int64_t step = 0;
};

Silence silence(const Evidence& found)
{
    Silence result {.time = silenceOf(found, 0, found.rankZero).time, .rank = 0, .step = found.rankZero.step};
    for (int rank = 1; rank < found.start.ranks; ++rank) {
        const JournalEnd end = readJournalEnd(found.folder.journal(rank), found.start.attempt);
        result.time = std::min(result.time, silenceOf(found, rank, end).time);
        if (end.hasStep && end.step < result.step) {
            result.rank = rank;
            result.step = end.step;
        }
    }
    return result;
}

bool isTooLong(const Evidence& found, std::chrono::milliseconds silence)
{
    return silence > contract::stallLimit(found.experiment.integer("launch.stall_after"), found.rankZero.medianStepMs);
}

/// Whether ranks on another host are alive: Slurm says so, or one has written to its journal within the stall limit.
bool isActiveElsewhere(const Evidence& found)
{
    if (!found.rankZero.hasBegun || !found.rankZero.outcome.empty())
        return false;
    const JournalSilence ofRankZero = silenceOf(found, 0, found.rankZero);
    if (const auto isAlive = isAliveInSlurm(found.folder, *found.owner, ofRankZero.sinceUnixMs))
        return *isAlive;
    return !isTooLong(found, ofRankZero.time) || !isTooLong(found, silence(found).time);  // the other journals are read only if it matters
}

void judgeProgress(const Evidence& found, RunStatus& status)
{
    status.state = RunState::Running;
    status.activity = found.rankZero.phase.empty() ? "trains" : found.rankZero.phase;
    // Two sources: the supervisor's stall event is reliable when the clock was set, the file times when the supervisor hangs.
    if (!found.supervisor.isStalled && !isTooLong(found, silenceOf(found, 0, found.rankZero).time))
        return;
    const Silence quiet = silence(found);
    if (!found.supervisor.isStalled && !isTooLong(found, quiet.time))
        return;
    status.state = RunState::Stalled;
    status.activity.clear();
    status.cause = "No rank has written a record for " + std::to_string(std::chrono::floor<std::chrono::seconds>(quiet.time).count()) + " s; rank "
        + std::to_string(quiet.rank) + " was last seen at step " + std::to_string(quiet.step);
}

void judgeActive(const Evidence& found, RunStatus& status)
{
    if (found.supervisor.isStopAccepted || !found.supervisor.outcome.empty()) {
        status.state = RunState::Stopping;
        status.waitsFor = lastToStop(found);
    } else if (const auto& restart = found.supervisor.restart) {
        const std::int64_t seconds = (std::max<std::int64_t>(restart->dueUnixMs - nowUnixMs(), 0) + 999) / 1000;
        status.state = RunState::Restarting;
        status.cause = restart->cause;
        status.waitsFor
            = "restart " + std::to_string(restart->number) + " of " + std::to_string(restart->most) + " in " + std::to_string(seconds) + " s";
    } else if (!found.rankZero.hasStep) {
        status.state = RunState::Starting;
        status.waitsFor = slowestStarter(found);
    } else {
        judgeProgress(found, status);
    }
}

std::optional<RunState> stateOfOutcome(const std::string& outcome)
{
    if (outcome == "finished")
        return RunState::Finished;
    if (outcome == "stopped")
        return RunState::Stopped;
    if (outcome == "failed")
        return RunState::Failed;
    return std::nullopt;
}

/// Whether no supervisor has started the attempt yet.
bool isUntouched(const Evidence& found)
{
    return !found.owner && !found.supervisor.hasBegun && !found.rankZero.hasBegun;
}

void judgeWaiting(const Evidence& found, RunStatus& status)
{
    status.state = RunState::Prepared;
    if (const auto reason = queueReason(found.folder, found.start.attempt)) {
        status.state = RunState::Queued;
        status.waitsFor = *reason;
    }
}

void judgeStarting(RunStatus& status)
{
    status.state = RunState::Starting;
    status.waitsFor = "its supervisor starts";
}

std::string interruption(const Evidence& found)
{
    const std::string attempt = "attempt " + std::to_string(found.start.attempt);
    const std::string where = found.rankZero.hasStep
        ? "at step " + std::to_string(found.rankZero.step)
        : std::string("before the first step");
    if (found.owner && !found.owner->bootId.empty() && found.owner->bootId != contract::bootId())
        return "The machine was restarted or switched off while " + attempt + " was " + where;
    if (found.owner && found.owner->isRankZero)
        return "Rank 0 (process " + std::to_string(found.owner->processId) + ") ended unexpectedly, " + where
            + "; the program that started the ranks may know why";
    const std::string who
        = found.owner ? "Its supervisor (process " + std::to_string(found.owner->processId) + ")"
                      : std::string("Its supervisor");
    if (found.supervisor.restart)
        return who + " ended unexpectedly while it waited before a restart, " + where + ": " + found.supervisor.restart->cause;
    return who + " ended unexpectedly, and its ranks with it, " + where;
}

void judgeEnded(const Evidence& found, RunStatus& status)
{
    // Rank 0's end record counts when the supervisor could not write its own, for lack of time or disk space.
    const bool hasOwn = !found.supervisor.outcome.empty() || found.supervisor.restart;
    const JournalEnd& last = hasOwn ? found.supervisor : found.rankZero;
    if (const auto ended = stateOfOutcome(last.outcome)) {
        status.state = *ended;
        status.cause = last.cause;
    } else if (found.owner && found.owner->host != contract::hostName()) {
        status.state = RunState::CutOff;
        status.cause = (found.supervisor.isStalled ? "It hung at step " + std::to_string(found.rankZero.step) + ". " : std::string())
            + std::string(found.owner->isRankZero ? "Its rank 0" : "Its supervisor") + " runs, or ran, on " + found.owner->host
            + "; inspect and control the run there";
    } else {
        status.state = RunState::Interrupted;
        status.cause = interruption(found);
    }
}

RunStatus inspectImported(const contract::RunFolder& folder, int attempt)
{
    RunStatus status;
    status.state = RunState::Imported;
    status.attempt = attempt;
    status.ranks = 1;
    const contract::Origin origin = contract::readOrigin(folder).value_or(contract::Origin());
    status.step = origin.lastStep;
    status.lastRecordUnixMs = origin.lastUnixMs;
    status.cause = origin.sentence();
    return status;
}

RunStatus inspect(const contract::RunFolder& folder)
{
    RunStatus status;
    const std::vector<int> attempts = folder.attempts();
    if (!attempts.empty() && contract::hasEntry(contract::originFile(folder)))
        return inspectImported(folder, attempts.back());
    if (attempts.empty() && contract::isBeingStarted(folder)) {
        judgeStarting(status);
        return status;
    }
    if (attempts.empty() && !contract::hasEntry(folder.root())) {
        status.state = RunState::Missing;
        status.cause = folder.root().string() + " is not there any more: moved, deleted, or on a disk that is not mounted";
        return status;
    }
    if (attempts.empty()) {
        status.cause = folder.root().string() + " contains no attempt of a run";
        return status;
    }
    const Evidence found = gatherEvidence(folder, attempts.back());
    status.isSupervised = !found.owner || !found.owner->isRankZero;
    status.attempt = attempts.back();
    status.ranks = found.start.ranks;
    status.step = found.rankZero.hasStep ? found.rankZero.step : found.start.parentStep;
    status.totalSteps = found.experiment.integer("run.total_steps");
    status.loss = found.rankZero.loss;
    status.rule = found.supervisor.rule;
    status.ruleUnixMs = found.supervisor.ruleUnixMs;
    status.lastRecordUnixMs = found.isLocked ? found.rankZero.writtenUnixMs : found.rankZero.lastRecordUnixMs;
    if (isHere(found) ? found.isLocked : !status.isSupervised && isActiveElsewhere(found))
        judgeActive(found, status);
    else if (found.isBeingStarted && isUntouched(found))
        judgeStarting(status);
    else if (isUntouched(found))
        judgeWaiting(found, status);
    else
        judgeEnded(found, status);
    if (isActive(status.state) && status.lastRecordUnixMs > 0 && found.rankZero.writtenUnixMs > 0)
        status.lastRecordUnixMs = silenceOf(found, 0, found.rankZero).sinceUnixMs;
    applySlurm(folder, found.supervisor.isStopAccepted, status);
    if (!found.startProblem.empty())
        status.cause = status.cause.empty() ? found.startProblem : status.cause + " (" + found.startProblem + ")";
    return status;
}

}  // namespace

std::string_view stateName(RunState state)
{
    switch (state) {
    case RunState::Prepared:
        return "prepared";
    case RunState::Queued:
        return "queued";
    case RunState::Starting:
        return "starting";
    case RunState::Running:
        return "running";
    case RunState::Stalled:
        return "stalled";
    case RunState::Restarting:
        return "restarting";
    case RunState::Stopping:
        return "stopping";
    case RunState::Finished:
        return "finished";
    case RunState::Stopped:
        return "stopped";
    case RunState::Failed:
        return "failed";
    case RunState::Interrupted:
        return "interrupted";
    case RunState::Missing:
        return "missing";
    case RunState::Imported:
        return "imported";
    case RunState::CutOff:
        return "cut off";
    }
    return "";
}

std::string waitText(const RunStatus& status)
{
    if (status.waitsFor.empty())
        return {};
    const bool isClause = status.state == RunState::Starting || status.state == RunState::Stopping;
    return (isClause ? ": " : ", waits for ") + status.waitsFor;
}

bool isActive(RunState state)
{
    return state == RunState::Starting || state == RunState::Running || state == RunState::Stalled
        || state == RunState::Restarting || state == RunState::Stopping;
}

bool isWaiting(RunState state) { return state == RunState::Prepared || state == RunState::Queued; }

RunStatus inspectRun(const contract::RunFolder& folder)
{
    try {
        if (const auto mirrored = mirroredStatus(folder))
            return *mirrored;
        return inspect(folder);
    } catch (const std::exception& error) {
        RunStatus status;
        status.cause = error.what();
        return status;
    }
}

}  // namespace launcher
