#include "launcher/scheduler/dequeue.h"

#include "engine/contract/run/run_folder.h"
#include "launcher/queue/queue.h"
#include "launcher/runs/launch.h"

#include <filesystem>
#include <vector>

namespace launcher {

void dequeue(const DataHome& home, const std::string& run)
{
    editQueue(home, [&](Queue& queue) {
        const contract::RunFolder folder(home.runs() / run);
        const QueueEntry entry = waitingEntry(home, queue, run);
        if (entry.attempt > 1 && std::filesystem::exists(folder.attempt(entry.attempt)))
            discardPrepared(folder, entry.attempt);
        std::erase(queue.waiting, entry);
    });
}

}  // namespace launcher
