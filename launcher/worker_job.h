// Ranks that do one thing in the foreground and end: no run, no supervisor.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace launcher {

struct WorkerJob {
    std::string worker;                  ///< program
    std::vector<std::string> arguments;  ///< the same for all ranks
    int ranks = 1;
    int threads = 0;                     ///< CPU threads of each; 0 divides the cores
};

/// Waits for all ranks; when one fails the others are killed. Call it on the main thread: ranks die with the thread that
/// started them.
/// @param onLine gets each line that rank 0 writes to standard output
/// @return empty, or why it failed: the words of the rank that failed first, in one sentence
std::string runWorkers(const WorkerJob& job, const std::function<void(const std::string& line)>& onLine);

}  // namespace launcher
