#include "launcher/state/slurm_state.h"

#include "launcher/slurm/slurm_job.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace launcher {
namespace {

struct Meaning {
    const char* word;
    const char* sentence;
};

constexpr Meaning kMeanings[] = {{"TIMEOUT", "its time limit was reached before the ranks had written a checkpoint"},
    {"NODE_FAIL", "a node failed"}, {"OUT_OF_MEMORY", "it used more memory than it had asked for"},
    {"BOOT_FAIL", "its nodes could not be started"}, {"DEADLINE", "its deadline was reached"},
    {"PREEMPTED", "a job of higher priority took its nodes"}};

std::string endOf(const SlurmJob& job, const SlurmSighting& seen)
{
    if (seen.state == "UNKNOWN")
        return "Slurm does not know job " + job.id + " any more";
    const auto* known = std::ranges::find(kMeanings, seen.state, [](const Meaning& each) { return std::string_view(each.word); });
    return "Slurm job " + job.id + " has ended with " + seen.state
        + (known == std::end(kMeanings) ? "; its log is logs/slurm.log" : std::string(": ") + known->sentence);
}

void judgeOver(const SlurmJob& job, const SlurmSighting& seen, RunStatus& status)
{
    if (isActive(status.state) || status.state == RunState::Finished || status.state == RunState::Stopped)
        return;
    status.waitsFor.clear();
    if (seen.state == "CANCELLED") {
        status.state = RunState::Stopped;
        status.cause = "Slurm job " + job.id + " was cancelled";
    } else if (status.state != RunState::Failed || status.cause.empty()) {
        status.state = RunState::Failed;
        status.cause = endOf(job, seen);
    } else if (seen.state != "FAILED" && seen.state != "COMPLETED") {
        status.cause += " (" + endOf(job, seen) + ")";
    }
}

std::string expectedStart(const SlurmSighting& seen)
{
    std::string time = seen.start;
    if (const std::size_t separator = time.find('T'); separator != std::string::npos)
        time[separator] = ' ';
    return time.empty() ? std::string() : ", expected at " + time;
}

}  // namespace

std::optional<bool> isAliveInSlurm(const contract::RunFolder& folder, const contract::LockOwner& rankZero, std::int64_t writtenUnixMs)
{
    const auto job = slurmJob(folder);
    if (!job)
        return std::nullopt;
    const SlurmSighting seen = lastSighting(folder, *job);
    if (seen.seenUnixMs <= writtenUnixMs)
        return std::nullopt;
    return seen.isRunning() && isOfPresentStart(folder, rankZero);
}

void applySlurm(const contract::RunFolder& folder, bool isStopAccepted, RunStatus& status)
{
    const auto job = slurmJob(folder);
    if (!job)
        return;
    const SlurmSighting seen = lastSighting(folder, *job);
    status.isSupervised = false;
    if (seen.isOver())
        return judgeOver(*job, seen, status);
    status.slurmJob = job->id;
    status.place = "Slurm job " + job->id + (seen.nodes.empty() ? "" : " on " + seen.nodes) + (seen.problem.empty() ? "" : ", no answer from Slurm");
    const bool isStopped = status.state == RunState::Stopped && (isStopAccepted || seen.isEnding());
    if (isActive(status.state) || status.state == RunState::Finished || isStopped)
        return;
    const bool hasFailed = status.state == RunState::Failed || status.state == RunState::Interrupted;
    if (!hasFailed)
        status.cause.clear();  // else it says why the run is started again
    status.activity.clear();
    if (seen.isRunning()) {
        status.state = RunState::Starting;
        status.waitsFor = "the ranks of " + status.place;
    } else {
        status.state = RunState::Queued;
        status.waitsFor = "Slurm" + (seen.reason.empty() ? "" : " (" + seen.reason + ")") + expectedStart(seen);
    }
}

}  // namespace launcher
