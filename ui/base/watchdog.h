// Measures how long the GUI thread is busy with one event: promise 2, "never wait".
#pragma once
#include <QApplication>
#include <QString>

#include <chrono>
#include <cstdint>

namespace ui {

/// One event that took long.
struct LongTurn {
    std::chrono::microseconds busy {0};  ///< without the time in which others had the processor
    std::chrono::microseconds computed {0};  ///< of it: on the processor; the rest waited for a disk or a lock
    QString event;                       ///< "UpdateRequest of ui::MainWindow"
    /// The longest paint within it, with its milliseconds: a window paints all its widgets in one turn.
    QString paint;
};

/// The program's application: every event goes through it, so it can tell what each costs. Measuring is off
/// until setLimit(); then a turn costs about a microsecond more.
class WatchedApplication : public QApplication {
    Q_OBJECT
public:
    using QApplication::QApplication;

    /// Reports every turn over @p limit; zero switches measuring off.
    void setLimit(std::chrono::microseconds limit) { m_limit = limit; }

    /// The longest since the last call, and how many were measured.
    LongTurn takeLongest();
    std::int64_t turns() const { return m_turns; }

    bool notify(QObject* receiver, QEvent* event) override;

Q_SIGNALS:
    void turnTookLong(const ui::LongTurn& turn);

private:
    bool notifyInner(QObject* receiver, QEvent* event);
    void measured(LongTurn turn, const QString& receiver, int eventType);

    std::chrono::microseconds m_limit {0};
    LongTurn m_longest;
    std::int64_t m_turns = 0;
    bool m_isInTurn = false;
    std::chrono::nanoseconds m_longestPaint {0};  ///< in this turn
    QByteArray m_painted;
};

}  // namespace ui
