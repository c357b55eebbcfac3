#include "ui/queue/queue_watch.h"

#include "launcher/start_scheduler.h"
#include "ui/base/background.h"
#include "ui/base/outside_text.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace ui {
namespace {

using namespace std::chrono_literals;

constexpr auto kInterval = 1s;
constexpr qint64 kStartIntervalMs = 10'000;  // a scheduler that cannot be started is not tried again at once

QueueState readState(const launcher::DataHome& home, bool mayStart)
{
    QueueState state;
    try {
        state.queue = launcher::readQueue(home);
        if (mayStart && launcher::hasWork(state.queue))
            launcher::ensureScheduler(home);
    } catch (const std::exception& error) {
        state.problem = translatedSentence(error.what());
    }
    for (std::size_t i = 0; i < state.queue.waiting.size(); ++i)
        state.reasons.push_back(launcher::waitsFor(home, state.queue, i));
    return state;
}

std::size_t placeOf(launcher::Queue& queue, const QString& run)
{
    return static_cast<std::size_t>(&launcher::entryOf(queue, run.toStdString()) - queue.waiting.data());
}

}  // namespace

QueueWatch::QueueWatch(const launcher::DataHome& home, QObject* parent)
    : QObject(parent)
    , m_home(home)
{
    m_turns.setMaxThreadCount(1);
    connect(&m_timer, &QTimer::timeout, this, &QueueWatch::read);
    m_timer.start(kInterval);
    read();
}

void QueueWatch::read()
{
    m_isOutdated = m_isReading;
    if (m_isReading)
        return;
    m_isReading = true;
    const bool mayStart = !m_sinceStart.isValid() || m_sinceStart.elapsed() > kStartIntervalMs || m_state.problem.isEmpty();
    if (mayStart)
        m_sinceStart.start();
    inBackground(this, [home = m_home, mayStart] { return readState(home, mayStart); }, [this, mayStart](QueueState state) {
        m_isReading = false;
        if (!mayStart)
            state.problem = m_state.problem;
        if (state != m_state) {
            m_state = std::move(state);
            Q_EMIT changed();
        }
        if (std::exchange(m_isOutdated, false))
            read();
    });
}

void QueueWatch::inTurn(std::function<void()> work)
{
    const auto attempt = [work = std::move(work)]() -> QString {
        try {
            work();
            return {};
        } catch (const std::exception& error) {
            return translatedSentence(error.what());
        }
    };
    inBackground(this, attempt, [this](const QString& problem) {
        if (!problem.isEmpty())
            Q_EMIT refused(problem);
        read();
    }, m_turns);
}

void QueueWatch::edit(std::function<void(launcher::Queue&)> change)
{
    inTurn([home = m_home, change = std::move(change)] {
        launcher::editQueue(home, change);
        launcher::ensureScheduler(home);
    });
}

void QueueWatch::moveUp(const QStringList& runs)
{
    edit([runs](launcher::Queue& queue) {
        std::size_t highest = 0;
        for (const QString& run : runs) {
            const std::size_t from = placeOf(queue, run);
            const std::size_t to = from > highest ? from - 1 : from;
            launcher::moveEntry(queue, run.toStdString(), to);
            highest = to + 1;
        }
    });
}

void QueueWatch::moveDown(const QStringList& runs)
{
    edit([runs](launcher::Queue& queue) {
        std::size_t lowest = queue.waiting.size();
        for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
            const std::size_t from = placeOf(queue, *run);
            const bool isMoved = from + 1 < lowest;
            if (isMoved)
                launcher::moveEntry(queue, run->toStdString(), from + 2);
            lowest = isMoved ? from + 1 : from;
        }
    });
}

void QueueWatch::moveTo(const QStringList& runs, int place)
{
    edit([runs, place](launcher::Queue& queue) {
        // Before the next entry that is not moved itself, which keeps its place among the others.
        const auto isMoved = [&](const launcher::QueueEntry& entry) { return runs.contains(QString::fromStdString(entry.run)); };
        auto next = static_cast<std::size_t>(std::max(0, place));
        while (next < queue.waiting.size() && isMoved(queue.waiting[next]))
            ++next;
        const std::string before = next < queue.waiting.size() ? queue.waiting[next].run : std::string();
        for (const QString& run : runs) {
            const std::size_t to = before.empty() ? queue.waiting.size() : placeOf(queue, QString::fromStdString(before));
            launcher::moveEntry(queue, run.toStdString(), to);
        }
    });
}

void QueueWatch::hold(const QStringList& runs, bool isHeld)
{
    edit([runs, isHeld](launcher::Queue& queue) {
        for (const QString& run : runs) {
            launcher::QueueEntry& entry = launcher::entryOf(queue, run.toStdString());
            entry.isHeld = isHeld;
            entry.problem.clear();
        }
    });
}

void QueueWatch::startNow(const QStringList& runs)
{
    edit([runs](launcher::Queue& queue) {
        for (const QString& run : runs) {
            launcher::QueueEntry& entry = launcher::entryOf(queue, run.toStdString());
            entry.isUrgent = true;
            entry.isHeld = false;
            entry.problem.clear();
        }
    });
}

void QueueWatch::remove(const QStringList& runs)
{
    inTurn([home = m_home, runs] {
        for (const QString& run : runs)
            launcher::dequeue(home, run.toStdString());
    });
}

void QueueWatch::setAtOnce(int runs)
{
    edit([runs](launcher::Queue& queue) { queue.atOnce = runs; });
}

}  // namespace ui
