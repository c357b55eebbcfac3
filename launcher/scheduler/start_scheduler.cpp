#include "launcher/scheduler/start_scheduler.h"

#include "launcher/base/detached_program.h"
#include "launcher/queue/scheduler_lock.h"
#include "launcher/runs/launch.h"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

namespace launcher {
namespace {

void requireNotWaiting(const Queue& queue, const std::string& run)
{
    if (std::ranges::find(queue.waiting, run, &QueueEntry::run) != queue.waiting.end())
        throw std::runtime_error("run " + run + " waits in the queue already; `atelier queue move` changes its place");
}

}  // namespace

PreparedRun prepareForQueue(const DataHome& home, const contract::RunFolder& folder, std::optional<std::int64_t> checkpointStep,
    const std::optional<contract::Experiment>& experiment)
{
    std::optional<PreparedRun> run;
    // Nobody else can queue the run in between, nor after this while the start lock is held.
    editQueue(home, [&](const Queue& queue) {
        requireNotWaiting(queue, folder.id());
        run = prepareResume(folder, checkpointStep, experiment);
    });
    return std::move(*run);
}

void enqueue(const DataHome& home, const std::vector<QueueEntry>& entries, std::vector<PreparedRun> runs)
{
    editQueue(home, [&](Queue& queue) {
        for (const QueueEntry& entry : entries) {
            requireNotWaiting(queue, entry.run);
            queue.waiting.push_back(entry);
        }
        runs.clear();  // the scheduler takes their locks
    });
    ensureScheduler(home);
}

void ensureScheduler(const DataHome& home)
{
    // Read under the lock of editors: a scheduler that is about to leave has then left.
    bool isNeeded = false;
    editQueue(home, [&](const Queue& queue) { isNeeded = hasWork(queue) && !isSchedulerAlive(home); });
    if (!isNeeded)
        return;
    try {
        startDetached({.name = "the queue's scheduler", .arguments = {"schedule"}, .variables = {}, .log = schedulerLog(home)});
    } catch (const std::exception&) {
        if (!isSchedulerAlive(home))  // another program has started it at the same time
            throw;
    }
}

}  // namespace launcher
