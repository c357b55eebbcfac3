// Runs worker ranks in the foreground for one job, without a run folder and a supervisor.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace launcher {

struct WorkerJob {
    std::string worker;                  ///< path of the worker program
    std::vector<std::string> arguments;  ///< the same for all ranks
    int ranks = 1;
    int threads = 0;                     ///< CPU threads of each rank; 0 divides the cores among the ranks
    std::string visibleGpus = {};        ///< CUDA_VISIBLE_DEVICES of the ranks; empty: that of this process
    std::function<bool()> isEnough = {}; ///< asked every 100 ms; when it says so, the ranks are killed and the job is done
};

/// Blocks until all ranks have exited; when one fails, the others are killed. Must be called on the main thread, because
/// the kernel kills a rank when the thread that started it ends.
/// @param onLine called with each line that rank 0 writes to standard output
/// @return empty, or why the job failed, in one sentence: the error message of the rank that failed first
std::string runWorkers(const WorkerJob& job, const std::function<void(const std::string& line)>& onLine);

}  // namespace launcher
