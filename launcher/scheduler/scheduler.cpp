#include "launcher/scheduler/scheduler.h"

#include "engine/contract/formats/new_folder.h"
#include "engine/contract/formats/sentence.h"
#include "engine/contract/run/lock_byte.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/base/ready_pipe.h"
#include "launcher/machine/nvml.h"
#include "launcher/queue/queue.h"
#include "launcher/queue/scheduler_lock.h"
#include "launcher/runs/launch.h"
#include "launcher/state/active_runs.h"
#include "launcher/state/run_state.h"
#include "launcher/supervisor/supervisor_log.h"

#include <QTimer>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <set>
#include <vector>

namespace launcher {
namespace {

constexpr auto kTurn = std::chrono::milliseconds(500);

std::string joinedUuids(const std::vector<std::string>& uuids)
{
    std::string text;
    for (const std::string& uuid : uuids)
        text += (text.empty() ? "" : ",") + uuid;
    return text;
}

/// An entry whose turn has come.
struct Turn {
    QueueEntry entry;
    std::optional<PreparedRun> run = {};  ///< nullopt when it cannot be started
    std::string problem = {};             ///< why not
};

}  // namespace

class Scheduler::Private {
public:
    Private(Scheduler* owner, const DataHome& dataHome)
        : q(owner)
        , home(dataHome)
        , log(schedulerLog(dataHome))
    {
    }
    ~Private() { release(); }

    void release();
    void takeTurn();
    void settle();
    std::optional<Turn> chooseNext();
    bool hasPlace(const Queue& queue);
    void startRun(Turn& turn);
    bool leaveWhenIdle();

    contract::RunFolder folderOf(const QueueEntry& entry) const { return contract::RunFolder(home.runs() / entry.run); }

    Scheduler* q;
    DataHome home;
    SupervisorLog log;
    QTimer timer;
    int descriptor = -1;
    std::vector<std::string> known;  ///< runs that were active when all were looked at last
    std::string lastProblem;         ///< of the queue's file, so that it is logged once
};

void Scheduler::Private::release()
{
    if (descriptor >= 0)
        ::close(descriptor);
    descriptor = -1;
}

void Scheduler::Private::takeTurn()
{
    try {
        settle();
        while (auto turn = chooseNext())
            startRun(*turn);
        lastProblem.clear();
        if (descriptor >= 0 && leaveWhenIdle()) {
            timer.stop();
            Q_EMIT q->idle();
        }
    } catch (const std::exception& error) {
        if (std::exchange(lastProblem, error.what()) != error.what())
            log.error(error.what());
    }
}

/// Notes which runs of the queue have been started (by this scheduler, an earlier one or by hand), have ended or vanished.
void Scheduler::Private::settle()
{
    editQueue(home, [this](Queue& queue) {
        std::erase_if(queue.waiting, [&](const QueueEntry& entry) {
            const contract::RunFolder folder = folderOf(entry);
            const std::vector<int> attempts = folder.attempts();
            const bool isPrepared = !attempts.empty() && attempts.back() == entry.attempt && !contract::hasStarted(folder, entry.attempt);
            if (!isPrepared && isAlive(folder))
                queue.started.push_back(entry);
            return !isPrepared;
        });
        std::erase_if(queue.started, [&](const QueueEntry& entry) {
            if (isAlive(folderOf(entry)))
                return false;
            const RunStatus status = inspectRun(folderOf(entry));
            log.info("run " + entry.run + " is " + std::string(stateName(status.state)));
            const bool hasFailed = status.state == RunState::Failed || status.state == RunState::Interrupted;
            for (QueueEntry& other : queue.waiting)
                other.isHeld = other.isHeld || (queue.stopsOnError && hasFailed);
            return true;
        });
    });
}

/// Whether fewer runs are active than may be, without those that have GPUs of their own.
bool Scheduler::Private::hasPlace(const Queue& queue)
{
    const auto count = [&] {
        return std::ranges::count_if(known, [&](const std::string& run) {
            const auto entry = std::ranges::find(queue.started, run, &QueueEntry::run);
            return entry == queue.started.end() || entry->given.empty();
        });
    };
    // All runs are looked at only when those that were active leave a place: a data home may have thousands.
    std::erase_if(known, [&](const std::string& run) { return !isAlive(contract::RunFolder(home.runs() / run)); });
    if (count() >= queue.atOnce)
        return false;
    known = activeRuns(home);
    return count() < queue.atOnce;
}

/// Returns the entry that is to be started now, with the GPUs that it gets, which the queue's file names from now on, and with the right to
/// start it, so that nobody changes its experiment from now on.
std::optional<Turn> Scheduler::Private::chooseNext()
{
    std::optional<Turn> chosen;
    editQueue(home, [&](Queue& queue) {
        auto entry = std::ranges::find_if(queue.waiting, [](const QueueEntry& each) { return each.isUrgent && !each.isHeld; });
        if (entry == queue.waiting.end())
            entry = std::ranges::find_if(queue.waiting, [](const QueueEntry& each) { return !each.isHeld; });
        if (entry == queue.waiting.end())
            return;
        std::vector<std::string> gpus;
        if (entry->gpus > 0 || !entry->chosen.empty()) {
            gpus = idleGpus();
            std::erase_if(gpus, [&](const std::string& uuid) {
                return std::ranges::any_of(
                    queue.started, [&](const QueueEntry& other) { return std::ranges::count(other.given, uuid) > 0; });
            });
        }
        const auto isFree = [&](const std::string& uuid) { return std::ranges::count(gpus, uuid) > 0; };
        const bool isOnChosen = !entry->chosen.empty();
        const auto wanted = static_cast<std::size_t>(entry->gpus);
        const bool hasGpus = isOnChosen ? std::ranges::all_of(entry->chosen, isFree) : gpus.size() >= wanted;
        if (!entry->isUrgent && !(isOnChosen || wanted > 0 ? hasGpus : hasPlace(queue)))
            return;
        gpus.resize(hasGpus && !isOnChosen ? wanted : 0);
        entry->given = isOnChosen ? entry->chosen : gpus;
        chosen = Turn {*entry};
        try {
            chosen->run = takePrepared(folderOf(*entry), entry->attempt);
        } catch (const std::exception& error) {
            chosen->problem = error.what();
        }
    });
    return chosen;
}

void Scheduler::Private::startRun(Turn& turn)
{
    const QueueEntry& entry = turn.entry;
    std::string problem = turn.problem;
    try {
        std::map<std::string, std::string> variables;
        if (!entry.given.empty())
            variables["CUDA_VISIBLE_DEVICES"] = joinedUuids(entry.given);
        if (turn.run) {
            startPrepared(*turn.run, variables);
            log.info("run " + entry.run + " was started" + (entry.given.empty() ? "" : " on " + joinedUuids(entry.given)));
        }
    } catch (const std::exception& error) {
        problem = error.what();
    }
    if (!problem.empty())
        log.error("run " + entry.run + ": " + problem);
    editQueue(home, [&](Queue& queue) {
        const auto place = std::ranges::find(queue.waiting, entry.run, &QueueEntry::run);
        if (place == queue.waiting.end())
            return;
        if (problem.empty()) {
            queue.started.push_back(entry);
            queue.waiting.erase(place);
        } else {
            place->problem = problem;
            place->isHeld = true;
            place->isUrgent = false;
            place->given.clear();
        }
    });
}

/// Releases the lock when there is nothing to do, while nobody can add to the queue.
bool Scheduler::Private::leaveWhenIdle()
{
    bool isLeaving = false;
    editQueue(home, [&](Queue& queue) {
        isLeaving = !hasWork(queue);
        if (isLeaving)
            release();
    });
    return isLeaving;
}

Scheduler::Scheduler(const DataHome& home, QObject* parent)
    : QObject(parent)
    , m_d(std::make_unique<Private>(this, home))
{
    connect(&m_d->timer, &QTimer::timeout, this, [this] { m_d->takeTurn(); });
}

Scheduler::~Scheduler() = default;

std::string Scheduler::start()
{
    std::string problem;
    if (const int cause = contract::takeByte(queueLock(m_d->home), contract::LockByte::Scheduler, m_d->descriptor))
        problem = cause == EAGAIN ? "the queue has a scheduler already" : contract::cannotBe("locked", queueLock(m_d->home), cause);
    const std::string process = std::to_string(::getpid());
    if (problem.empty() && ::pwrite(m_d->descriptor, process.data(), process.size(), 0) > 0)
        [[maybe_unused]] const int cut = ::ftruncate(m_d->descriptor, static_cast<off_t>(process.size()));
    reportToStarter(problem);
    if (problem.empty())
        m_d->timer.start(kTurn);
    if (problem.empty())
        QTimer::singleShot(0, this, [this] { m_d->takeTurn(); });
    return problem;
}

}  // namespace launcher
