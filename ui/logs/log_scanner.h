// Finds the lines that a filter lets through, in time's order over all files, on a thread of its own.
#pragma once
#include "ui/logs/log_file_reader.h"
#include "ui/logs/log_filter.h"

#include <QObject>
#include <QTimer>

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

namespace ui {

class LogScanner : public QObject {
    Q_OBJECT
public:
    using Places = std::vector<LogPlace>;

    LogScanner();
    ~LogScanner() override;

    /// What was asked for before is of no interest any more: any thread may say so.
    void cancelBefore(quint64 generation) { m_wanted = generation; }

    /// Scans @p files and then follows them. The order of signals is: ends() of large files, found() any
    /// number of times, reachedEnd(), then found() as the files grow.
    void scan(quint64 generation, const std::vector<std::string>& files, const LogFilter& filter);

Q_SIGNALS:
    /// A file was replaced by a shorter one: what was found does not count any more.
    void begunAnew(quint64 generation);
    /// The last lines, so that they can be shown while the whole is being read.
    void ends(quint64 generation, const std::vector<ui::LogPlace>& places);
    void found(quint64 generation, const std::vector<ui::LogPlace>& places);
    void reachedEnd(quint64 generation);
    /// A line that was found already, the last one of its file, has grown.
    void grown(quint64 generation);

private:
    struct Source;
    void scanEnds();
    void scanOn();
    Places merge(std::size_t limit);
    bool advance(Source& source, int file);

    std::atomic<quint64> m_wanted {0};
    quint64 m_generation = 0;
    std::vector<std::string> m_files;
    LogFilter m_filter;
    std::function<bool(std::string_view)> m_matches;
    std::vector<Source> m_sources;
    bool m_hasGrown = false;
    bool m_isAtEnd = false;
    QTimer* m_timer;
};

}  // namespace ui
