#include "ui/logs/log_sieve.h"

#include "engine/contract/run/log_time.h"

#include <QRunnable>
#include <QSemaphore>

#include <algorithm>
#include <atomic>

namespace ui {

/// The lines that are judged now. Both threads take the next few until none are left, so neither waits long for the other.
struct LogSieve::Batch : QRunnable {
    std::span<const LogFileReader::Line> lines;
    const std::function<bool()>* isCancelled = nullptr;
    std::vector<LogVerdict> verdicts;
    std::atomic<std::size_t> next {0};
    LogSieve* sieve = nullptr;
    QSemaphore done;

    Batch() { setAutoDelete(false); }
    void judge(LogSearch& search);
    void run() override
    {
        judge(sieve->m_searches[1]);
        done.release();
    }
};

void LogSieve::Batch::judge(LogSearch& search)
{
    constexpr std::size_t kAtOnce = 256;
    for (std::size_t first = next.fetch_add(kAtOnce); first < lines.size() && !(*isCancelled)(); first = next.fetch_add(kAtOnce)) {
        const std::size_t end = std::min(first + kAtOnce, lines.size());
        for (std::size_t line = first; line < end && !(*isCancelled)(); ++line)
            sieve->judgeLine(lines[line].text, search, verdicts[line]);
    }
    search.finish();
}

LogSieve::LogSieve(const LogFilter& filter, bool needsTimes)
    : m_minimumLevel(filter.minimumLevel)
    , m_needsTimes(needsTimes)
    , m_searches {LogSearch(filter), LogSearch(filter)}
    , m_batch(std::make_unique<Batch>())
{
    m_batch->sieve = this;
    m_pool.setMaxThreadCount(1);
}

LogSieve::~LogSieve() = default;

const std::vector<LogVerdict>& LogSieve::judge(std::span<const LogFileReader::Line> lines, const std::function<bool()>& isCancelled)
{
    constexpr std::size_t kWorthAThread = 1'000;
    m_batch->lines = lines;
    m_batch->isCancelled = &isCancelled;
    m_batch->verdicts.assign(lines.size(), {});
    m_batch->next = 0;
    const bool isForTwo = lines.size() >= kWorthAThread;
    if (isForTwo)
        m_pool.start(m_batch.get());
    m_batch->judge(m_searches[0]);
    if (isForTwo && !m_pool.tryTake(m_batch.get()))  // it has begun
        m_batch->done.acquire();
    return m_batch->verdicts;
}

void LogSieve::judgeLine(std::string_view line, LogSearch& search, LogVerdict& verdict) const
{
    if (m_needsTimes)
        verdict.time = contract::logTime(line);
    if (m_minimumLevel > LogLevel::Unknown)
        verdict.level = logLevel(line);
    if (verdict.level == LogLevel::Unknown || verdict.level >= m_minimumLevel)
        search.add(line, verdict.matches);
}

}  // namespace ui
