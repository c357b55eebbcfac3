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

    /// Looks for the last line before or at @p unixMs by rank 0's clock. An earlier search that is not finished is given up, and so is
    /// this one when the lines become others.
    void start(std::int64_t unixMs);

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

}  // namespace ui
