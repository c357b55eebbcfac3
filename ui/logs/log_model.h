// The lines of a run's logs that pass the filter. Their text is loaded on demand.
#pragma once
#include "ui/logs/log_clock.h"
#include "ui/logs/log_filter.h"

#include <QHash>
#include <QObject>
#include <QString>
#include <QThread>

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace ui {

class LogScanner;

struct LogText {
    QString text;             ///< with local time
    std::int64_t unixMs = 0;  ///< when it was written, by the clock of its host; 0 when it has no time
    LogLevel level = LogLevel::Unknown;
};

class LogModel : public QObject {
    Q_OBJECT
public:
    explicit LogModel(QObject* parent = nullptr);
    ~LogModel() override;

    /// Starts over with @p files, whose lines are merged by time. A file may be created later.
    void setFiles(const std::vector<std::string>& files);
    const std::vector<std::string>& files() const { return m_files; }
    void setFilter(const LogFilter& filter);
    const LogFilter& filter() const { return m_filter; }

    qsizetype count() const { return qsizetype(m_places.size()); }
    /// The row of the line that begins at the byte @p offset of @p file; -1: it has not been found, or does not pass the filter.
    qsizetype rowOf(const std::string& file, std::int64_t offset) const;
    int fileOf(qsizetype row) const { return m_places[std::size_t(row)].file(); }
    /// The clock by which the lines of a file were written; rank 0's while it is not known.
    LogClock clockOf(int file) const { return std::size_t(file) < m_clocks.size() ? m_clocks[std::size_t(file)] : LogClock(); }
    /// The text of a row, or nullptr when it is not in memory yet; it is then loaded, and linesArrived() follows.
    /// The pointer is valid until control returns to the event loop or line() is called again.
    const LogText* line(qsizetype row);
    /// True until the files have been read to their end.
    bool isScanning() const { return m_isScanning; }
    /// Stops reading; the lines found so far stay, with the last ones of large files, and no others come. restart(), other files and another filter read again.
    void cancel();
    bool isCancelled() const { return m_isCancelled; }
    /// Reads the files from the beginning.
    void restart();

    /// Reads rows [first, first + count) in the background and passes them to @p done as one text, on the GUI thread. The
    /// text ends before the row with which it would exceed @p mostBytes, and after 500,000 rows; a last line then says how
    /// many rows are missing.
    void fetchText(qsizetype first, qsizetype count, qsizetype mostBytes, std::function<void(const QString&)> done);

Q_SIGNALS:
    void reset();
    /// Lines have been found; while the rows are only the last lines of large files, these come to them when all is read.
    void appended();
    void linesArrived();
    void scanningChanged();
    void clocksChanged();

private:
    void replacePreview(std::deque<LogPlace> places);
    void clearLines();
    void fetch(qsizetype first);
    void setScanning(bool isScanning);

    QThread m_thread;
    LogScanner* m_scanner;  ///< on m_thread, which deletes it
    std::vector<std::string> m_files;
    std::vector<LogClock> m_clocks;  ///< of the files
    LogFilter m_filter;
    quint64 m_generation = 0;
    std::deque<LogPlace> m_places;
    std::deque<LogPlace> m_scanned;  ///< the lines scanned so far, while m_places holds a preview
    bool m_isPreview = false;      ///< m_places holds only the last lines of large files
    bool m_isScanning = false;
    bool m_isCancelled = false;
    QHash<qsizetype, LogText> m_lines;  ///< by row; the rows viewed recently
    QHash<qsizetype, quint64> m_requestedPages;  ///< first row of a page → end of the rows requested
    quint64 m_edition = 0;              ///< changes whenever rows are renumbered
};

}  // namespace ui
