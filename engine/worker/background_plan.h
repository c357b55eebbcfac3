// Forecasts what a run needs while it trains, in a process of its own that gives way to the ranks.
//
// [Note: kept forecasts]
// Rank 0 knows on which device and with how many ranks an attempt trains. When it has trained for ten seconds, it starts this worker program
// once more, with --plan, which writes attempts/N/forecast.json, later shown beside what the ranks really needed. Nobody waits for it: it has
// the lowest priority, is killed first when the host is short of memory, and ends with rank 0. A run that ends before is as good without it.
#pragma once
#include "engine/contract/run/run_folder.h"

#include <sys/types.h>

namespace engine {

class BackgroundPlan {
public:
    /// Starts the process, which ends with the calling thread at the latest.
    BackgroundPlan(const contract::RunFolder& folder, int attempt, bool isOnGpus);
    /// Kills it.
    ~BackgroundPlan();
    BackgroundPlan(const BackgroundPlan&) = delete;
    BackgroundPlan& operator=(const BackgroundPlan&) = delete;

    bool hasEnded();

private:
    pid_t m_process = -1;  ///< -1: it has ended, or could not be started
};

}  // namespace engine
