#include "launcher/scheduler/start_scheduler.h"

#include "launcher/base/detached_program.h"
#include "launcher/queue/scheduler_lock.h"

#include <algorithm>
#include <exception>
#include <stdexcept>

namespace launcher {

void enqueue(const DataHome& home, const std::vector<QueueEntry>& entries)
{
    editQueue(home, [&](Queue& queue) {
        for (const QueueEntry& entry : entries) {
            if (std::ranges::find(queue.waiting, entry.run, &QueueEntry::run) != queue.waiting.end())
                throw std::runtime_error("run " + entry.run + " waits in the queue already; `atelier queue move` changes its place");
            queue.waiting.push_back(entry);
        }
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
