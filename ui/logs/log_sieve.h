// Decides which lines of a log pass a filter, many at a time and on two threads.
#pragma once
#include "ui/logs/log_file_reader.h"
#include "ui/logs/log_search.h"

#include <QThreadPool>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace ui {

/// What a line says by itself.
struct LogVerdict {
    std::int64_t time = 0;               ///< by the clock of its host; 0: none, or not asked for
    LogLevel level = LogLevel::Unknown;  ///< Unknown: none, or not asked for
    bool matches = false;                ///< the filter's text; false also where the line's own level is below the filter's
};

class LogSieve {
public:
    /// @param needsTimes false: lines need no time
    LogSieve(const LogFilter& filter, bool needsTimes);
    ~LogSieve();
    LogSieve(const LogSieve&) = delete;
    LogSieve& operator=(const LogSieve&) = delete;

    /// Returns a verdict for each of @p lines, valid until the next call. Once @p isCancelled, which is asked on both threads, the
    /// remaining lines match nothing.
    const std::vector<LogVerdict>& judge(std::span<const LogFileReader::Line> lines, const std::function<bool()>& isCancelled);

private:
    struct Batch;

    void judgeLine(std::string_view line, LogSearch& search, LogVerdict& verdict) const;

    LogLevel m_minimumLevel;
    bool m_needsTimes;
    std::array<LogSearch, 2> m_searches;  ///< one for each thread
    std::unique_ptr<Batch> m_batch;
    QThreadPool m_pool;  ///< the other thread
};

}  // namespace ui
