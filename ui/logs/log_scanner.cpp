#include "ui/logs/log_scanner.h"

#include "engine/contract/run/log_time.h"

#include <algorithm>
#include <chrono>

namespace ui {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kTailBytes = 256 << 10;
constexpr std::int64_t kLargeBytes = 4 << 20;
constexpr std::size_t kBatch = 50'000;
constexpr int kBlocksPerBatch = 16;  // of about a megabyte

}  // namespace

/// A file, and the lines read from it that pass the filter and have not been merged yet.
struct LogScanner::Source {
    struct Found {
        LogPlace place;
        std::int64_t time = 0;  ///< the latest of the line and those above it, by rank 0's clock: no line is merged before one above it
    };

    bool hasFound() const { return next < found.size(); }
    /// No line that is still to be merged is earlier.
    std::int64_t earliest() const { return hasFound() ? found[next].time : time; }

    LogFileReader reader;
    std::vector<Found> found;
    std::size_t next = 0;                   ///< in found
    std::int64_t time = 0;                  ///< the latest of the lines read
    LogLevel level = LogLevel::Unknown;     ///< of the last line read; a line without a level takes that of the line before
    std::int64_t incompleteOffset = -1;     ///< offset of the last, incomplete line, if it has been reported; otherwise -1
};

LogScanner::LogScanner()
    : m_timer(new QTimer(this))
{
    m_timer->setInterval(250ms);
    connect(m_timer, &QTimer::timeout, this, &LogScanner::continueScan);
}

LogScanner::~LogScanner() = default;

void LogScanner::scan(quint64 generation, const std::vector<std::string>& files, const LogFilter& filter)
{
    m_timer->stop();
    m_generation = generation;
    m_files = files;
    m_filter = filter;
    m_sieve = std::make_unique<LogSieve>(filter, files.size() > 1);
    m_isAtEnd = false;
    m_clocks = clocksOf(m_files);
    m_clocksSince = std::chrono::steady_clock::now();
    Q_EMIT clocked(m_generation, m_clocks);
    scanTails();
    m_sources.clear();
    for (const std::string& file : m_files)
        m_sources.push_back({.reader = LogFileReader(file), .found = {}});
    continueScan();
}

void LogScanner::scanTails()
{
    m_sources.clear();
    std::int64_t inAll = 0;
    for (const std::string& file : m_files) {
        Source source {.reader = LogFileReader(file), .found = {}};
        inAll += source.reader.size();
        source.reader.seek(std::max<std::int64_t>(0, source.reader.size() - kTailBytes));
        m_sources.push_back(std::move(source));
    }
    if (inAll <= kLargeBytes)
        return;
    Places tails;
    for (Places more = merge(kBatch); !more.empty(); more = merge(kBatch))
        tails.insert(tails.end(), more.begin(), more.end());
    if (!tails.empty())
        Q_EMIT tailsFound(m_generation, tails);
}

void LogScanner::continueScan()
{
    if (isOutdated()) {
        Q_EMIT restarted(m_generation);
        scan(m_generation, std::vector(m_files), LogFilter(m_filter));
        return;
    }
    while (m_requestedGeneration == m_generation) {
        const Places places = merge(kBatch);
        if (places.empty())
            break;
        Q_EMIT found(m_generation, places);
    }
    if (m_requestedGeneration != m_generation) {
        m_timer->stop();
        return;
    }
    if (!std::exchange(m_isAtEnd, true))
        Q_EMIT reachedEnd(m_generation);
    if (std::exchange(m_hasGrown, false))
        Q_EMIT grown(m_generation);
    m_timer->start();
}

/// Whether lines found so far are gone, or stand in the wrong order: how far clocks differ is known only after some steps.
bool LogScanner::isOutdated()
{
    constexpr auto kClockAge = 10s;
    if (std::ranges::any_of(m_sources, [](const Source& source) { return source.reader.hasShrunk(); }))
        return true;
    const auto now = std::chrono::steady_clock::now();
    if (m_files.size() < 2 || now - m_clocksSince < kClockAge)
        return false;
    m_clocksSince = now;
    const std::vector<LogClock> clocks = clocksOf(m_files);
    return !std::ranges::equal(clocks, m_clocks, [](const LogClock& a, const LogClock& b) { return a.isLike(b); });
}

/// Returns the places of up to @p limit lines that pass the filter, oldest first; fewer when much has been read for them, at the end of
/// all files, and when the scan was cancelled. The file whose next line may be the oldest is read on, so that a line that passes waits for
/// no other file to be read to its end.
LogScanner::Places LogScanner::merge(std::size_t limit)
{
    Places places;
    std::vector<bool> isAtEnd(m_sources.size());
    int blocks = 0;
    while (places.size() < limit && m_requestedGeneration == m_generation) {
        std::size_t first = m_sources.size();
        for (std::size_t file = 0; file < m_sources.size(); ++file) {
            const Source& source = m_sources[file];
            if ((source.hasFound() || !isAtEnd[file]) && (first == m_sources.size() || source.earliest() < m_sources[first].earliest()))
                first = file;
        }
        if (first == m_sources.size())
            break;
        Source& source = m_sources[first];
        if (source.hasFound()) {
            places.push_back(source.found[source.next++].place);
            continue;
        }
        if (!places.empty() && blocks >= kBlocksPerBatch)
            break;
        isAtEnd[first] = !advance(source, int(first));
        ++blocks;
    }
    return places;
}

/// Reads about a megabyte, all of whose lines that passed before have been merged. @return false at the end of the file
bool LogScanner::advance(Source& source, int file)
{
    const auto isCancelled = [this] { return m_requestedGeneration != m_generation; };
    source.found.clear();
    source.next = 0;
    if (!source.reader.nextLines(m_lines))
        return false;
    const std::vector<LogVerdict>& verdicts = m_sieve->judge(m_lines, isCancelled);
    for (std::size_t line = 0; line < m_lines.size(); ++line)
        take(source, file, m_lines[line], verdicts[line]);
    return true;
}

void LogScanner::take(Source& source, int file, const LogFileReader::Line& line, const LogVerdict& verdict)
{
    if (verdict.time > 0)
        source.time = std::max(source.time, m_clocks[std::size_t(file)].byRankZero(verdict.time));
    if (verdict.level != LogLevel::Unknown)
        source.level = verdict.level;
    const bool passes = source.level >= m_filter.minimumLevel && verdict.matches;
    const bool wasReported = line.offset == source.incompleteOffset;
    m_hasGrown |= wasReported;
    if (passes && !wasReported)
        source.found.push_back({LogPlace(file, line.offset), source.time});
    source.incompleteOffset = !line.isWhole && (passes || wasReported) ? line.offset : -1;
}

}  // namespace ui
