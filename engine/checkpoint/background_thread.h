// A thread that does one job after another.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace engine {

/// Jobs run in the order in which they were given, and throw nothing. The destructor waits for all of them.
class BackgroundThread {
public:
    BackgroundThread();
    ~BackgroundThread();
    BackgroundThread(const BackgroundThread&) = delete;
    BackgroundThread& operator=(const BackgroundThread&) = delete;

    void run(std::function<void()> job);
    bool isIdle();
    void awaitIdle();  ///< returns when all jobs are done

private:
    void work();

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<std::function<void()>> m_jobs;  ///< the first is being done
    bool m_isClosing = false;
    std::thread m_thread;  ///< last: it uses the others
};

}  // namespace engine
