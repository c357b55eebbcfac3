// Gathers what the queue's plan needs: how long runs take, and what they have.
#pragma once
#include "launcher/scheduler/queue_plan.h"

#include <string>
#include <vector>

namespace launcher {

/// How long runs take is known of an active one by its steps so far; else by the estimate of its trial (estimate.h); else by the last run
/// of that name. Reads some files of each run. @param active ids of the runs that are active on this machine; see activeRuns()
PlanInput outlook(const DataHome& home, const Queue& queue, const std::vector<std::string>& active);

}  // namespace launcher
