// Forecasts what a run needs beside its start, in a process of its own that gives way to the ranks.
//
// [Note: kept forecasts]
// Rank 0 knows at the start of an attempt on which device and with how many ranks it trains. It starts this worker program once more, with
// --plan, which writes attempts/N/forecast.json, later shown beside what the ranks really needed. The ranks do not wait for it: it has the
// lowest priority, is killed first when the host is short of memory, and ends with rank 0. A run without it is as good.
#pragma once
#include "engine/contract/run/run_folder.h"

#include <sys/types.h>

#include <chrono>

namespace engine {

class BackgroundPlan {
public:
    BackgroundPlan(const contract::RunFolder& folder, int attempt, bool isOnGpus);
    /// Kills it.
    ~BackgroundPlan();
    BackgroundPlan(const BackgroundPlan&) = delete;
    BackgroundPlan& operator=(const BackgroundPlan&) = delete;

    bool hasEnded();
    /// Waits until it has ended, at most for @p limit.
    void await(std::chrono::milliseconds limit);

private:
    pid_t m_process = -1;  ///< -1: it has ended, or could not be started
};

}  // namespace engine
