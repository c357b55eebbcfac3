#include "launcher/scheduler/queue_outlook.h"

#include "engine/contract/attempt/attempt.h"
#include "engine/contract/experiment/gpu_names.h"
#include "engine/contract/experiment/slurm_rules.h"
#include "engine/contract/formats/folder_entries.h"
#include "launcher/machine/nvml.h"
#include "launcher/plan/estimate.h"
#include "launcher/state/journal_end.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace launcher {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kStamp = 21;        // "-YYYYMMDD-HHMMSS-xxxx" at the end of a run's id
constexpr std::size_t kMostCompared = 20;  // former runs of the same name that are looked at

std::int64_t nowUnixMs()
{
    return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

milliseconds timesSteps(double stepMs, std::int64_t steps)
{
    return timeOf({.stepMs = std::max(0.0, stepMs)}, std::max<std::int64_t>(0, steps));
}

/// The last attempt of a run.
struct Attempt {
    contract::RunFolder folder;
    contract::Experiment experiment;
    contract::AttemptStart start;

    std::int64_t steps() const { return experiment.integer("run.total_steps") - start.parentStep; }
};

/// @throws std::runtime_error when its files cannot be read.
Attempt lastAttempt(const contract::RunFolder& folder)
{
    const std::vector<int> attempts = folder.attempts();
    if (attempts.empty())
        throw std::runtime_error("no attempt");
    return {folder, contract::experimentOf(folder, attempts.back()), folder.readStart(attempts.back())};
}

/// Of the steps that an attempt has made, everything in between counted; 0: it has made none.
double msPerStep(const Attempt& attempt, const JournalEnd& end)
{
    const std::int64_t steps = end.hasStep ? end.step - attempt.start.parentStep : 0;
    return steps > 0 ? std::max(0.0, static_cast<double>(end.lastRecordUnixMs - end.startUnixMs) / static_cast<double>(steps)) : 0;
}

/// Earlier runs of the same name, the newest first.
std::vector<contract::RunFolder> formerRuns(const DataHome& home, const std::string& id)
{
    if (id.size() <= kStamp)
        return {};
    const std::string name = id.substr(0, id.size() - kStamp + 1);
    std::vector<std::string> ids;
    std::error_code ignored;
    for (const auto& root : contract::entriesOf(home.runs(), ignored)) {
        const std::string other = root.filename().string();
        if (other.size() == id.size() && other.starts_with(name) && other != id)
            ids.push_back(other);
    }
    std::ranges::sort(ids, std::greater());
    std::vector<contract::RunFolder> runs;
    for (std::size_t i = 0; i < std::min(ids.size(), kMostCompared); ++i)
        runs.emplace_back(home.runs() / ids[i]);
    return runs;
}

struct Duration {
    std::optional<milliseconds> time;
    std::string basis;
};

/// Of the whole attempt, before it has made steps.
Duration expected(const DataHome& home, const Attempt& attempt)
{
    if (const auto estimate = readEstimate(attempt.folder, attempt.start.attempt))
        return {timeOf(estimate->trial, attempt.steps()), "by a trial"};
    const std::string key = paceKey(attempt.experiment);
    Duration found {std::nullopt, "unknown: no trial, and no earlier run of this name has made steps"};
    for (const contract::RunFolder& folder : formerRuns(home, attempt.folder.id())) {
        try {
            const Attempt former = lastAttempt(folder);
            const double stepMs = msPerStep(former, readRankZeroEnd(folder, former.start.attempt));
            const bool isSame = paceKey(former.experiment) == key;
            if (stepMs <= 0 || (found.time && !isSame))
                continue;
            found = {timesSteps(stepMs, attempt.steps()), "as run " + folder.id() + (isSame ? "" : ", which had other settings")};
            if (isSame)
                break;
        } catch (const std::exception&) { // another one may tell more
        }
    }
    return found;
}

ActiveRun activeRun(const DataHome& home, const Queue& queue, const std::string& id, std::int64_t now)
{
    ActiveRun run;
    run.run = id;
    try {
        const Attempt attempt = lastAttempt(contract::RunFolder(home.runs() / id));
        run.gpus = contract::namedGpus(attempt.experiment);
        const JournalEnd end = readRankZeroEnd(attempt.folder, attempt.start.attempt);
        // Not by start.json, which was written when the run was queued.
        run.since = milliseconds(end.startUnixMs > 0 ? std::max<std::int64_t>(0, now - end.startUnixMs) : 0);
        if (const double stepMs = msPerStep(attempt, end); stepMs > 0) {
            run.duration = timesSteps(stepMs, attempt.experiment.integer("run.total_steps") - end.step);
            run.basis = "by its steps so far";
        } else {
            const Duration whole = expected(home, attempt);
            run.basis = whole.basis;
            if (whole.time)
                run.duration = std::max(milliseconds(0), *whole.time - run.since);
        }
    } catch (const std::exception&) {
        run.basis = "unknown: its files cannot be read";
    }
    const auto entry = std::ranges::find(queue.started, id, &QueueEntry::run);
    if (entry != queue.started.end())
        run.gpus = entry->given;
    return run;
}

PlannedRun waitingRun(const DataHome& home, const QueueEntry& entry)
{
    PlannedRun run {.run = entry.run};
    try {
        const Attempt attempt = lastAttempt(contract::RunFolder(home.runs() / entry.run));
        const bool isForSlurm = contract::isForSlurm(attempt.experiment);
        Duration found = isForSlurm ? Duration {std::nullopt, "unknown: it waits in Slurm"} : expected(home, attempt);
        run.duration = found.time;
        run.basis = std::move(found.basis);
    } catch (const std::exception&) {
        run.basis = "unknown: its files cannot be read";
    }
    return run;
}

}  // namespace

PlanInput outlook(const DataHome& home, const Queue& queue, const std::vector<std::string>& active)
{
    PlanInput input {.atOnce = queue.atOnce, .waiting = queue.waiting};
    const bool wantsGpus = std::ranges::any_of(queue.waiting, [](const QueueEntry& entry) { return entry.gpus > 0 || !entry.chosen.empty(); });
    if (wantsGpus)
        input.idleGpus = idleGpus();
    const std::int64_t now = nowUnixMs();
    for (const std::string& id : active) {
        input.active.push_back(activeRun(home, queue, id, now));
        // One that has just been started may have nothing on its GPUs yet.
        std::erase_if(input.idleGpus, [&](const std::string& uuid) { return std::ranges::count(input.active.back().gpus, uuid) > 0; });
    }
    for (const QueueEntry& entry : queue.waiting)
        input.estimates.push_back(waitingRun(home, entry));
    return input;
}

}  // namespace launcher
