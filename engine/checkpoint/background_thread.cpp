#include "engine/checkpoint/background_thread.h"

#include <chrono>
#include <csignal>

namespace engine {

BackgroundThread::BackgroundThread()
{
    // The training thread reads all signals.
    sigset_t all, former;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    m_thread = std::thread([this] { work(); });
    pthread_sigmask(SIG_SETMASK, &former, nullptr);
}

BackgroundThread::~BackgroundThread()
{
    {
        const std::lock_guard lock(m_mutex);
        m_isClosing = true;
    }
    m_changed.notify_all();
    m_thread.join();
}

void BackgroundThread::run(std::function<void()> job)
{
    {
        const std::lock_guard lock(m_mutex);
        m_jobs.push_back(std::move(job));
    }
    m_changed.notify_all();
}

bool BackgroundThread::isIdle()
{
    const std::lock_guard lock(m_mutex);
    return m_jobs.empty();
}

void BackgroundThread::awaitIdle(const std::function<void()>& everySecond)
{
    const auto isDone = [this] { return m_jobs.empty(); };
    std::unique_lock lock(m_mutex);
    while (everySecond && !m_changed.wait_for(lock, std::chrono::seconds(1), isDone)) {
        lock.unlock();
        everySecond();
        lock.lock();
    }
    m_changed.wait(lock, isDone);
}

void BackgroundThread::work()
{
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_changed.wait(lock, [this] { return m_isClosing || !m_jobs.empty(); });
        if (m_jobs.empty())
            return;
        const auto& job = m_jobs.front();
        lock.unlock();
        job();
        lock.lock();
        m_jobs.pop_front();
        m_changed.notify_all();
    }
}

}  // namespace engine
