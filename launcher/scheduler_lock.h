// The log of the queue's scheduler, and the lock that it holds as long as it runs; see [Note: the queue] in queue.h.
#pragma once
#include "launcher/base/data_home.h"

#include <sys/types.h>

#include <filesystem>

namespace launcher {

std::filesystem::path schedulerLog(const DataHome& home);
std::filesystem::path queueLock(const DataHome& home);

bool isSchedulerAlive(const DataHome& home);

/// Process id of the scheduler; 0 when none runs.
pid_t schedulerProcess(const DataHome& home);

}  // namespace launcher
