// The lines of a run's logs that are shown, fetched when they are looked at.
#pragma once
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
    QString text;
    LogLevel level = LogLevel::Unknown;
};

class LogModel : public QObject {
    Q_OBJECT
public:
    explicit LogModel(QObject* parent = nullptr);
    ~LogModel() override;

    /// Begins anew with these files, merged by time; a file that is not there yet may come.
    void setFiles(const std::vector<std::string>& files);
    const std::vector<std::string>& files() const { return m_files; }
    void setFilter(const LogFilter& filter);
    const LogFilter& filter() const { return m_filter; }

    qsizetype count() const { return qsizetype(m_places.size()); }
    int fileOf(qsizetype row) const { return m_places[std::size_t(row)].file(); }
    /// nullptr until it has arrived; asking makes it arrive.
    const LogText* line(qsizetype row);
    /// True while the files have not been read to their end.
    bool isScanning() const { return m_isScanning; }

    /// Fetches rows [first, first + count) and gives them as one text, in the background.
    void fetchText(qsizetype first, qsizetype count, std::function<void(const QString&)> done);

Q_SIGNALS:
    void reset();
    void appended();
    void linesArrived();
    void scanningChanged();

private:
    void restart();
    void forgetLines();
    void fetch(qsizetype first);
    void setScanning(bool isScanning);

    QThread m_thread;
    LogScanner* m_scanner;  ///< on m_thread, which deletes it
    std::vector<std::string> m_files;
    LogFilter m_filter;
    quint64 m_generation = 0;
    std::deque<LogPlace> m_places;
    std::deque<LogPlace> m_whole;  ///< grows behind a preview of the ends
    bool m_isPreview = false;
    bool m_isScanning = false;
    QHash<qsizetype, LogText> m_lines;  ///< by row, around what is looked at
    QHash<qsizetype, quint64> m_asked;  ///< page → when
    quint64 m_edition = 0;              ///< of m_places' numbering
};

}  // namespace ui
