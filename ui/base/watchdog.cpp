#include "ui/base/watchdog.h"

#include <QEvent>
#include <QMetaEnum>
#include <QThread>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <string_view>
#include <utility>

namespace ui {
namespace {

using namespace std::chrono;

/// How long this thread was ready to run while other threads had the processor (the second number in schedstat),
/// so that a machine busy with training does not make the window look slow. Zero where the kernel does not count it.
nanoseconds waitedForProcessor()
{
    static const int descriptor = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    std::array<char, 96> text {};
    const ssize_t size = descriptor < 0 ? 0 : ::pread(descriptor, text.data(), text.size() - 1, 0);
    if (size <= 0)
        return {};
    const char* const end = text.data() + size;
    long long ran = 0;
    long long waited = 0;
    const auto afterRan = std::from_chars(text.data(), end, ran);
    if (afterRan.ec == std::errc {} && afterRan.ptr != end)
        std::from_chars(afterRan.ptr + 1, end, waited);
    return nanoseconds(waited);
}

/// How long, since the machine started, at least one thread on it was ready to run while others had the processors; counts on. Zero where
/// the kernel does not count it.
microseconds machinePressure()
{
    static const int descriptor = ::open("/proc/pressure/cpu", O_RDONLY | O_CLOEXEC);
    std::array<char, 256> text {};
    const ssize_t size = descriptor < 0 ? 0 : ::pread(descriptor, text.data(), text.size() - 1, 0);
    const std::string_view read(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    constexpr std::string_view kTotal = "total=";  // first in the line "some"
    const std::size_t total = read.find(kTotal);
    long long waited = 0;
    if (total != std::string_view::npos)
        std::from_chars(read.data() + total + kTotal.size(), read.data() + read.size(), waited);
    return microseconds(waited);
}

nanoseconds processorTime()
{
    timespec time {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

/// How often this thread gave up the processor voluntarily, to wait for a disk, a lock or another thread.
long timesBlocked()
{
    rusage usage {};
    ::getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

/// Measures the time that a turn itself took, without what a busy or throttled machine took from it: the thread's
/// processor time if it never blocked, otherwise the wall-clock time minus the time spent ready to run.
class TurnClock {
public:
    nanoseconds computed() const { return processorTime() - m_processor; }
    microseconds pressure() const { return machinePressure() - m_pressure; }
    nanoseconds busy() const
    {
        if (timesBlocked() == m_blocked)
            return computed();
        return std::max<nanoseconds>(
            computed(), steady_clock::now() - m_wall - (waitedForProcessor() - m_waited));
    }

private:
    steady_clock::time_point m_wall = steady_clock::now();
    nanoseconds m_processor = processorTime();
    nanoseconds m_waited = waitedForProcessor();
    microseconds m_pressure = machinePressure();
    long m_blocked = timesBlocked();
};

QString describe(const QString& receiver, int eventType)
{
    const char* const name = QMetaEnum::fromType<QEvent::Type>().valueToKey(eventType);
    return QStringLiteral("%1 of %2").arg(
        name ? QString::fromLatin1(name) : QString::number(eventType), receiver);
}

}  // namespace

bool WatchedApplication::notify(QObject* receiver, QEvent* event)
{
    // This is also called for objects that live on other threads.
    if (QThread::currentThread() != thread() || m_limit.count() == 0)
        return QApplication::notify(receiver, event);
    // An event that is delivered while another one is handled belongs to the turn of the outer event.
    if (m_isInTurn)
        return notifyNested(receiver, event);
    m_isInTurn = true;
    m_longestPaint = {};
    const QString name = QString::fromLatin1(receiver->metaObject()->className());
    const int type = event->type();
    const TurnClock clock;
    const bool isHandled = QApplication::notify(receiver, event);
    m_isInTurn = false;
    recordTurn({.busy = duration_cast<microseconds>(clock.busy()), .computed = duration_cast<microseconds>(clock.computed()),
                   .pressure = clock.pressure(), .event = {}, .paint = {}},
        name, type);
    return isHandled;
}

bool WatchedApplication::notifyNested(QObject* receiver, QEvent* event)
{
    if (event->type() != QEvent::Paint)
        return QApplication::notify(receiver, event);
    const char* const name = receiver->metaObject()->className();
    const nanoseconds start = processorTime();
    const bool isHandled = QApplication::notify(receiver, event);
    const nanoseconds took = processorTime() - start;
    if (took > m_longestPaint) {
        m_longestPaint = took;
        m_longestPaintClass = name;
    }
    return isHandled;
}

void WatchedApplication::recordTurn(LongTurn turn, const QString& receiver, int eventType)
{
    ++m_turns;
    if (turn.busy <= m_longest.busy && turn.busy <= m_limit)
        return;
    turn.event = describe(receiver, eventType);
    if (m_longestPaint.count() > 0)
        turn.paint = QStringLiteral("%1 %2 ms").arg(QString::fromLatin1(m_longestPaintClass))
                         .arg(double(m_longestPaint.count()) / 1e6, 0, 'f', 1);
    if (turn.busy > m_limit)
        Q_EMIT turnTookLong(turn);
    if (turn.busy > m_longest.busy)
        m_longest = std::move(turn);
}

LongTurn WatchedApplication::takeLongest()
{
    return std::exchange(m_longest, {});
}

}  // namespace ui
