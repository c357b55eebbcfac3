// A thread that runs queued jobs one after another.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace engine {

/// Jobs run in the order in which they were queued, and must not throw. The destructor waits for all of them.
class BackgroundThread {
public:
    BackgroundThread();
    ~BackgroundThread();
    BackgroundThread(const BackgroundThread&) = delete;
    BackgroundThread& operator=(const BackgroundThread&) = delete;

    void run(std::function<void()> job);  ///< queues @p job and returns
    bool isIdle();     ///< whether all jobs are done
    /// Blocks until all jobs are done. @param everySecond called on this thread meanwhile; may be empty
    void awaitIdle(const std::function<void()>& everySecond = {});

private:
    void work();

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<std::function<void()>> m_jobs;  ///< the first one is running
    bool m_isClosing = false;
    std::thread m_thread;  ///< declared last, because it uses the other members
};

}  // namespace engine
