// Measures how long the GUI thread is busy with one event, to check promise 2, "never wait".
#pragma once
#include <QApplication>
#include <QString>

#include <chrono>
#include <cstdint>

namespace ui {

/// A turn of the event loop, that is the handling of one event with all events nested in it, that took long.
struct LongTurn {
    std::chrono::microseconds busy {0};  ///< without the time in which other threads had the processor
    std::chrono::microseconds computed {0};  ///< the part of busy on the processor; the rest waited for a disk, a lock or another thread
    /// The part of the turn in which some thread on the machine was ready to run and no processor was free. What this
    /// thread waited for then may have waited itself.
    std::chrono::microseconds pressure {0};
    QString event;                       ///< "UpdateRequest of ui::MainWindow"
    /// The widget class whose paint event took longest in this turn, and its milliseconds. A window paints all its
    /// widgets in one turn. Empty when nothing was painted.
    QString paint;
};

/// The application object of the program. It measures every event that it delivers. Measuring is off until
/// setLimit() is called; a measured turn takes about a microsecond longer.
class WatchedApplication : public QApplication {
    Q_OBJECT
public:
    using QApplication::QApplication;

    /// Emits turnTookLong() for every turn longer than @p limit; zero switches measuring off.
    void setLimit(std::chrono::microseconds limit) { m_limit = limit; }

    /// Returns the longest turn since the last call. turns() counts all turns measured so far.
    LongTurn takeLongest();
    std::int64_t turns() const { return m_turns; }

    bool notify(QObject* receiver, QEvent* event) override;

Q_SIGNALS:
    void turnTookLong(const ui::LongTurn& turn);

private:
    bool notifyNested(QObject* receiver, QEvent* event);
    void recordTurn(LongTurn turn, const QString& receiver, int eventType);

    std::chrono::microseconds m_limit {0};
    LongTurn m_longest;
    std::int64_t m_turns = 0;
    bool m_isInTurn = false;
    std::chrono::nanoseconds m_longestPaint {0};  ///< in this turn
    QByteArray m_longestPaintClass;               ///< the class of the widget that it painted
};

}  // namespace ui
