#include "launcher/queue/scheduler_lock.h"

#include "engine/contract/formats/text.h"
#include "engine/contract/run/lock_byte.h"
#include "launcher/base/file_end.h"

namespace launcher {

std::filesystem::path schedulerLog(const DataHome& home) { return home.state / "queue.log"; }

std::filesystem::path queueLock(const DataHome& home) { return home.state / "queue.lock"; }

bool isSchedulerAlive(const DataHome& home) { return contract::isByteTaken(queueLock(home), contract::LockByte::Scheduler); }

pid_t schedulerProcess(const DataHome& home)
{
    if (!isSchedulerAlive(home))
        return 0;
    const auto written = contract::parseInteger(readFileEnd(queueLock(home), 0, 64).text);
    return written ? static_cast<pid_t>(*written) : 0;
}

}  // namespace launcher
