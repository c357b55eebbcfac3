// Finds the lines that pass a filter, ordered by time over all files. Runs on its own thread.
#pragma once
#include "ui/logs/log_clock.h"
#include "ui/logs/log_file_reader.h"
#include "ui/logs/log_sieve.h"

#include <QObject>
#include <QTimer>

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

namespace ui {

class LogScanner : public QObject {
    Q_OBJECT
public:
    using Places = std::vector<LogPlace>;

    LogScanner();
    ~LogScanner() override;

    /// Cancels scans with a generation other than @p generation. May be called on any thread.
    void cancelBefore(quint64 generation) { m_requestedGeneration = generation; }

    /// Scans @p files and then follows them. Emits tailsFound() if the files are large, found() any number of times,
    /// reachedEnd(), and then found() as the files grow.
    void scan(quint64 generation, const std::vector<std::string>& files, const LogFilter& filter);

Q_SIGNALS:
    /// The clocks of the files, by which the lines found from here on are ordered.
    void clocked(quint64 generation, const std::vector<ui::LogClock>& clocks);
    /// A file was replaced by a shorter one, or more is known of the hosts' clocks: the scan starts over, and all
    /// lines found before are invalid.
    void restarted(quint64 generation);
    /// The last lines of the files that pass, as a preview while the files are being scanned.
    void tailsFound(quint64 generation, const std::vector<ui::LogPlace>& places);
    void found(quint64 generation, const std::vector<ui::LogPlace>& places);
    void reachedEnd(quint64 generation);
    /// The last line of a file, which was incomplete when it was reported, has grown.
    void grown(quint64 generation);

private:
    struct Source;
    void scanTails();
    void continueScan();
    bool isOutdated();
    Places merge(std::size_t limit);
    bool advance(Source& source, int file);
    void take(Source& source, int file, const LogFileReader::Line& line, const LogVerdict& verdict);

    std::atomic<quint64> m_requestedGeneration {0};
    quint64 m_generation = 0;
    std::vector<std::string> m_files;
    std::vector<LogClock> m_clocks;  ///< of the files
    std::chrono::steady_clock::time_point m_clocksSince;
    LogFilter m_filter;
    std::unique_ptr<LogSieve> m_sieve;
    std::vector<LogFileReader::Line> m_lines;  ///< those that advance() reads
    std::vector<Source> m_sources;
    bool m_hasGrown = false;
    bool m_isAtEnd = false;
    QTimer* m_timer;
};

}  // namespace ui
