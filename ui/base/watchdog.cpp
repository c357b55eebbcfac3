#include "ui/base/watchdog.h"

#include <QEvent>
#include <QMetaEnum>
#include <QThread>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <utility>

namespace ui {
namespace {

using namespace std::chrono;

/// How long this thread stood ready while other threads had the processor: second figure of schedstat.
/// A machine busy with training must not make the window look slow. Zero where the kernel does not count.
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

QString describe(const QString& receiver, int eventType)
{
    const char* const name = QMetaEnum::fromType<QEvent::Type>().valueToKey(eventType);
    return QStringLiteral("%1 of %2").arg(
        name ? QString::fromLatin1(name) : QString::number(eventType), receiver);
}

}  // namespace

bool WatchedApplication::notify(QObject* receiver, QEvent* event)
{
    // Events of other threads' objects come here too.
    if (QThread::currentThread() != thread() || m_limit.count() == 0)
        return QApplication::notify(receiver, event);
    // An event handled inside another's handler belongs to that one's turn.
    if (m_isInTurn)
        return notifyInner(receiver, event);
    m_isInTurn = true;
    m_longestPaint = {};
    const QString name = QString::fromLatin1(receiver->metaObject()->className());
    const int type = event->type();
    const auto waitedBefore = waitedForProcessor();
    const auto start = steady_clock::now();
    const bool isHandled = QApplication::notify(receiver, event);
    const auto wall = steady_clock::now() - start;
    m_isInTurn = false;
    const auto waited = wall > 1ms ? waitedForProcessor() - waitedBefore : 0ns;
    measured(duration_cast<microseconds>(wall - waited), name, type);
    return isHandled;
}

bool WatchedApplication::notifyInner(QObject* receiver, QEvent* event)
{
    if (event->type() != QEvent::Paint)
        return QApplication::notify(receiver, event);
    const char* const name = receiver->metaObject()->className();
    const auto start = steady_clock::now();
    const bool isHandled = QApplication::notify(receiver, event);
    const nanoseconds took = steady_clock::now() - start;
    if (took > m_longestPaint) {
        m_longestPaint = took;
        m_painted = name;
    }
    return isHandled;
}

void WatchedApplication::measured(microseconds busy, const QString& receiver, int eventType)
{
    ++m_turns;
    if (busy <= m_longest.busy && busy <= m_limit)
        return;
    LongTurn turn {busy, describe(receiver, eventType), {}};
    if (m_longestPaint.count() > 0)
        turn.paint = QStringLiteral("%1 %2 ms").arg(QString::fromLatin1(m_painted))
                         .arg(double(m_longestPaint.count()) / 1e6, 0, 'f', 1);
    if (busy > m_limit)
        Q_EMIT turnTookLong(turn);
    if (busy > m_longest.busy)
        m_longest = std::move(turn);
}

LongTurn WatchedApplication::takeLongest()
{
    return std::exchange(m_longest, {});
}

}  // namespace ui
