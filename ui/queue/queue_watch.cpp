#include "ui/queue/queue_watch.h"

#include "launcher/remote/protocol.h"
#include "launcher/scheduler/dequeue.h"
#include "launcher/scheduler/start_scheduler.h"
#include "ui/base/background.h"
#include "ui/language/outside_text.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <chrono>
#include <utility>

namespace ui {
namespace {

using namespace std::chrono_literals;

constexpr auto kInterval = 1s;
constexpr auto kIntervalThere = 3s;
constexpr qint64 kUnseenIntervalMs = 60'000;  // of a queue there at which nobody looks: only for its alerts
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

launcher::QueueEntry entryIn(const QJsonObject& json)
{
    launcher::QueueEntry entry {.run = json["run"].toString().toStdString(), .attempt = json["attempt"].toInt(1), .gpus = json["gpus"].toInt(),
        .isHeld = json["held"].toBool(), .isUrgent = false, .problem = json["problem"].toString().toStdString()};
    for (const QJsonValue& gpu : json["given_gpus"].toArray())
        entry.given.push_back(gpu.toString().toStdString());
    return entry;
}

/// What `atelier queue list --json` has printed. Entries that name no run are left out.
QueueState stateIn(const std::string& document)
{
    const QJsonObject json = QJsonDocument::fromJson(QByteArray::fromStdString(document)).object();
    QueueState state;
    state.queue.atOnce = std::clamp(json["at_once"].toInt(1), 1, 1024);
    state.queue.stopsOnError = json["on_error"].toString() == QLatin1String("hold");
    for (const QJsonValue& each : json["started"].toArray()) {
        if (launcher::QueueEntry entry = entryIn(each.toObject()); launcher::isRunName(entry.run))
            state.queue.started.push_back(std::move(entry));
    }
    for (const QJsonValue& each : json["waiting"].toArray()) {
        launcher::QueueEntry entry = entryIn(each.toObject());
        if (!launcher::isRunName(entry.run))
            continue;
        state.queue.waiting.push_back(std::move(entry));
        state.reasons.push_back(each.toObject()["waits_for"].toString().toStdString());
    }
    for (const QJsonValue& each : json["alerts"].toArray()) {
        const auto kind = launcher::alertKind(each["alert"].toString().toStdString());
        launcher::QueueAlert alert {.kind = kind.value_or(launcher::QueueAlert::Kind::NotStarted), .run = each["run"].toString().toStdString(),
            .attempt = each["attempt"].toInt(1), .unixMs = each["unix_ms"].toInteger(), .message = each["details"].toString().toStdString()};
        if (kind && launcher::isRunName(alert.run))
            launcher::addAlert(state.queue, std::move(alert));
    }
    return state;
}

std::size_t placeOf(launcher::Queue& queue, const QString& run)
{
    return static_cast<std::size_t>(&launcher::entryOf(queue, run.toStdString()) - queue.waiting.data());
}

}  // namespace

QueueWatch::QueueWatch(const launcher::DataHome& home, launcher::Mirror* mirror, QObject* parent)
    : QObject(parent)
    , m_home(home)
    , m_mirror(mirror)
{
    m_turns.setMaxThreadCount(1);
    connect(&m_timer, &QTimer::timeout, this, &QueueWatch::read);
    m_timer.start(m_mirror ? kIntervalThere : kInterval);
    read();
}

void QueueWatch::setShown(bool isShown)
{
    m_isShown = isShown;
    if (m_mirror && isShown)
        read();
}

void QueueWatch::take(QueueState state)
{
    m_isReading = false;
    if (!std::exchange(m_isRead, true) || state != m_state) {
        m_state = std::move(state);
        Q_EMIT changed();
    }
    if (std::exchange(m_isOutdated, false))
        read();
}

void QueueWatch::readThere()
{
    m_mirror->execute({"queue", "list", "--json"}, this, [this](const launcher::CommandReply& reply) {
        if (reply.isAccepted)
            m_sinceReadThere.start();
        else if (!m_isShown) {
            m_isReading = false;
            return;
        }
        QueueState state = reply.isAccepted ? stateIn(reply.output) : m_state;
        state.problem = reply.isAccepted ? QString() : translatedSentence(reply.error);
        take(std::move(state));
    });
}

void QueueWatch::executeThere(std::vector<std::string> arguments, const QStringList& runs)
{
    for (const QString& run : runs)
        arguments.push_back(run.toStdString());
    m_mirror->execute(arguments, this, [this](const launcher::CommandReply& reply) {
        if (!reply.isAccepted)
            Q_EMIT refused(translatedSentence(reply.error));
        read();
    });
}

/// Does what changes nothing but the order of those that wait.
void QueueWatch::reorder(std::function<void(launcher::Queue&)> change)
{
    if (!m_mirror)
        return edit(std::move(change));
    launcher::Queue queue = m_state.queue;
    try {
        change(queue);
    } catch (const std::exception& error) {
        Q_EMIT refused(translatedSentence(error.what()));
        return;
    }
    // All from the first to the last place that changes, in their new order.
    const auto& before = m_state.queue.waiting;
    std::size_t first = 0, end = before.size();
    while (first < end && before[first] == queue.waiting[first])
        ++first;
    while (end > first && before[end - 1] == queue.waiting[end - 1])
        --end;
    QStringList runs;
    for (std::size_t place = first; place < end; ++place)
        runs << QString::fromStdString(queue.waiting[place].run);
    if (!runs.isEmpty())
        executeThere({"queue", "move", "--to", std::to_string(first + 1)}, runs);
}

void QueueWatch::read()
{
    if (m_mirror && !m_isShown && m_sinceReadThere.isValid() && m_sinceReadThere.elapsed() < kUnseenIntervalMs)
        return;
    m_isOutdated = m_isReading;
    if (m_isReading)
        return;
    m_isReading = true;
    if (m_mirror)
        return readThere();
    const bool mayStart = !m_sinceStart.isValid() || m_sinceStart.elapsed() > kStartIntervalMs || m_state.problem.isEmpty();
    if (mayStart)
        m_sinceStart.start();
    inBackground(this, [home = m_home, mayStart] { return readState(home, mayStart); }, [this, mayStart](QueueState state) {
        if (!mayStart)
            state.problem = m_state.problem;
        take(std::move(state));
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
    reorder([runs](launcher::Queue& queue) {
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
    reorder([runs](launcher::Queue& queue) {
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
    reorder([runs, place](launcher::Queue& queue) {
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
    if (m_mirror)
        return executeThere({"queue", isHeld ? "hold" : "release"}, runs);
    edit([home = m_home, runs, isHeld](launcher::Queue& queue) {
        for (const QString& run : runs) {
            launcher::QueueEntry& entry = launcher::waitingEntry(home, queue, run.toStdString());
            entry.isHeld = isHeld;
            entry.problem.clear();
        }
    });
}

void QueueWatch::startNow(const QStringList& runs)
{
    if (m_mirror)
        return executeThere({"queue", "start"}, runs);
    edit([home = m_home, runs](launcher::Queue& queue) {
        for (const QString& run : runs) {
            launcher::QueueEntry& entry = launcher::waitingEntry(home, queue, run.toStdString());
            entry.isUrgent = true;
            entry.isHeld = false;
            entry.problem.clear();
        }
    });
}

void QueueWatch::remove(const QStringList& runs)
{
    if (m_mirror)
        return executeThere({"queue", "remove"}, runs);
    inTurn([home = m_home, runs] {
        for (const QString& run : runs)
            launcher::dequeue(home, run.toStdString());
    });
}

void QueueWatch::setAtOnce(int runs)
{
    if (m_mirror)
        return executeThere({"queue", "start", "--at-once", std::to_string(runs)}, {});
    edit([runs](launcher::Queue& queue) { queue.atOnce = runs; });
}

void QueueWatch::setStopsOnError(bool stops)
{
    if (m_mirror)
        return executeThere({"queue", "start", "--on-error", stops ? "hold" : "continue"}, {});
    edit([stops](launcher::Queue& queue) { queue.stopsOnError = stops; });
}

void QueueWatch::setGpus(const QStringList& runs, int gpus)
{
    if (m_mirror)
        return executeThere({"queue", "set", "--gpus", std::to_string(gpus)}, runs);
    edit([home = m_home, runs, gpus](launcher::Queue& queue) {
        for (const QString& run : runs)
            launcher::setGpus(launcher::waitingEntry(home, queue, run.toStdString()), gpus);
    });
}

}  // namespace ui
