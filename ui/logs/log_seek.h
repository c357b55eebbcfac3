// Finds the line of a log that was written at a certain time, whatever the log's size: by bisection, in the background.
#pragma once
#include "ui/logs/log_model.h"

#include <QObject>

#include <cstdint>

namespace ui {

class LogSeek : public QObject {
    Q_OBJECT
public:
    /// @param model must outlive this.
    explicit LogSeek(LogModel& model, QObject* parent = nullptr);

    /// Looks for the last line before or at @p time, as logTime() of a line of rank 0. An earlier search that is not finished is given up, and so is
    /// this one when the lines become others.
    void start(std::int64_t time);

Q_SIGNALS:
    /// 0 when all lines are later. Not emitted when there are no lines.
    void found(qsizetype row);

private:
    void look();
    void read(qsizetype middle, qsizetype from);
    void takeText(qsizetype middle, qsizetype from, const QString& text);

    LogModel& m_model;
    quint64 m_search = 0;  ///< counts the searches, so that answers for earlier ones are dropped
    std::int64_t m_time = 0;
    qsizetype m_first = 0;  ///< the answer is in [m_first, m_last)
    qsizetype m_last = 0;
};

/// The time of a log's lines, which are in local time: @p seconds since 1970 as logTime() returns it.
std::int64_t logTimeOf(double seconds);
/// The opposite. @return 0 when it is no time
double secondsOf(std::int64_t logTime);

}  // namespace ui
