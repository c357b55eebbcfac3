#include "engine/worker/progress_watch.h"

#include "engine/contract/run/stall.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace engine {
namespace {

constexpr std::size_t kSteps = 100;  // for the median
constexpr int kLooksPerLimit = 10;
constexpr std::chrono::seconds kLongestWhileStalled {1};  // the state that others see depends on it

}  // namespace

ProgressWatch::ProgressWatch(
    const contract::RunFolder& folder, int ranks, std::int64_t stallAfterSeconds, double patience, OnStall onStall, std::function<void()> onRecovery)
    : m_folder(folder)
    , m_ranks(ranks)
    , m_stallAfterSeconds(stallAfterSeconds)
    , m_patience(patience)
    , m_onStall(std::move(onStall))
    , m_onRecovery(std::move(onRecovery))
    , m_thread([this](const std::stop_token& stopping) { run(stopping); })
{
}

void ProgressWatch::stepDone(std::int64_t step)
{
    const std::lock_guard lock(m_mutex);
    m_steps.emplace_back(step, Clock::now());
    if (m_steps.size() > kSteps)
        m_steps.pop_front();
}

void ProgressWatch::stop()
{
    m_thread.request_stop();
    if (m_thread.joinable())
        m_thread.join();
}

void ProgressWatch::run(const std::stop_token& stopping)
{
    while (!stopping.stop_requested()) {
        look();
        // Polling at a tenth of the limit is precise enough and puts little load on a network disk.
        const auto pause = m_isStalled ? std::min<std::chrono::milliseconds>(kLongestWhileStalled, limit() / kLooksPerLimit) : limit() / kLooksPerLimit;
        std::unique_lock lock(m_mutex);
        m_wake.wait_for(lock, stopping, pause, [] { return false; });
    }
}

void ProgressWatch::look()
{
    const std::uintmax_t bytes = journalBytes();
    const auto now = Clock::now();
    if (bytes != m_bytes) {
        m_bytes = bytes;
        m_lastRecord = now;
        if (std::exchange(m_isStalled, false))
            m_onRecovery();
        return;
    }
    std::int64_t step = -1;
    {
        const std::lock_guard lock(m_mutex);
        if (!m_steps.empty())
            step = m_steps.back().first;
    }
    if (step < 0 || m_isStalled || now - m_lastRecord < limit())
        return;
    m_isStalled = true;
    m_onStall(step, contract::stallSentence(now - m_lastRecord, step));
}

std::uintmax_t ProgressWatch::journalBytes() const
{
    std::uintmax_t sum = 0;
    for (int rank = 0; rank < m_ranks; ++rank) {
        std::error_code error;
        const std::uintmax_t bytes = std::filesystem::file_size(m_folder.journal(rank), error);
        sum += error ? 0 : bytes;
    }
    return sum;
}

std::chrono::milliseconds ProgressWatch::limit() const
{
    std::vector<Clock::duration> durations;
    {
        const std::lock_guard lock(m_mutex);
        for (std::size_t i = 1; i < m_steps.size(); ++i)
            durations.push_back(m_steps[i].second - m_steps[i - 1].second);
    }
    double medianMs = 0;
    if (!durations.empty()) {
        const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
        std::ranges::nth_element(durations, middle);
        medianMs = std::chrono::duration<double, std::milli>(*middle).count();
    }
    const auto limit = contract::stallLimit(m_stallAfterSeconds, medianMs);
    return std::chrono::milliseconds(std::llround(m_patience * static_cast<double>(limit.count())));
}

}  // namespace engine
