#include "launcher/scheduler/scheduler.h"

#include "engine/contract/formats/new_folder.h"
#include "engine/contract/formats/sentence.h"
#include "engine/contract/run/lock_byte.h"
#include "engine/contract/run/start_lock.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/base/file_end.h"
#include "launcher/base/ready_pipe.h"
#include "launcher/machine/nvml.h"
#include "launcher/queue/queue.h"
#include "launcher/queue/scheduler_lock.h"
#include "launcher/runs/launch.h"
#include "launcher/scheduler/missing_gpus.h"
#include "launcher/scheduler/queue_notices.h"
#include "launcher/state/active_runs.h"
#include "launcher/state/run_state.h"
#include "launcher/supervisor/supervisor_log.h"

#include <QTimer>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>
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

/// Whether the run's folder is not there, or not as it was; a run in the trash has been removed by the user, and waits for nothing.
bool isLost(const DataHome& home, const contract::RunFolder& folder)
{
    std::error_code error;
    return folder.attempts().empty() && !std::filesystem::exists(home.trash() / folder.id(), error);
}

QueueAlert alertOfStart(const QueueEntry& entry, const std::string& problem, bool hasBegun)
{
    const std::string whatToDo = hasBegun ? "resume the run (`atelier resume " : "release the run in the queue (`atelier queue release ";
    return {.kind = QueueAlert::Kind::NotStarted, .run = entry.run, .attempt = entry.attempt, .unixMs = nowUnixMs(),
        .message = problem + "; when that is mended, " + whatToDo + entry.run + "`)"};
}

QueueAlert alertOfHold(const QueueEntry& failed, const RunStatus& status)
{
    const std::string how = status.state == RunState::Interrupted ? "the run was interrupted" : "the run has failed";
    return {.kind = QueueAlert::Kind::Held, .run = failed.run, .attempt = failed.attempt, .unixMs = nowUnixMs(),
        .message = how + (status.cause.empty() ? "" : ": " + status.cause)
            + "; the runs that wait are held until you release them in the queue (`atelier queue release`)"};
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
        , notices(dataHome, log)
    {
    }
    ~Private() { release(); }

    void release();
    void takeTurn();
    void settle();
    void holdOthers(Queue& queue, const QueueEntry& failed, const RunStatus& status);
    std::optional<Turn> chooseNext();
    bool hasPlace(const Queue& queue);
    void startRun(Turn turn);
    bool leaveWhenIdle();
    void leave();

    contract::RunFolder folderOf(const QueueEntry& entry) const { return contract::RunFolder(home.runs() / entry.run); }

    Scheduler* q;
    DataHome home;
    SupervisorLog log;
    QueueNotices notices;
    MissingGpus missingGpus;
    QTimer timer;
    int descriptor = -1;
    std::vector<std::string> known;  ///< runs that were active when all were looked at last
    std::string lastProblem;         ///< of the queue's file, so that it is logged once
    std::vector<QueueAlert> untold;  ///< alerts that the queue's file has, and the web address not yet
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
        while (auto turn = chooseNext()) {
            startRun(std::move(*turn));
            settle();  // one that has failed at once may hold the others
        }
        lastProblem.clear();
        if (descriptor >= 0 && leaveWhenIdle()) {
            timer.stop();
            leave();
        }
    } catch (const std::exception& error) {
        if (std::exchange(lastProblem, error.what()) != error.what())
            log.error(error.what());
    }
}

/// Notes which runs of the queue have been started (by this scheduler, an earlier one or by hand), have ended or vanished.
void Scheduler::Private::settle()
{
    untold.clear();
    editQueue(home, [this](Queue& queue) {
        std::erase_if(queue.waiting, [&](const QueueEntry& entry) {
            const contract::RunFolder folder = folderOf(entry);
            const std::vector<int> attempts = folder.attempts();
            const bool isPrepared = !attempts.empty() && attempts.back() == entry.attempt && !contract::hasStarted(folder, entry.attempt);
            const bool isStarted = !isPrepared && isAlive(folder);
            if (isStarted)
                queue.started.push_back(entry);
            return isStarted || (!isPrepared && !isLost(home, folder));
        });
        std::erase_if(queue.started, [&](const QueueEntry& entry) {
            if (isAlive(folderOf(entry)))
                return false;
            const RunStatus status = inspectRun(folderOf(entry));
            log.info("run " + entry.run + " is " + std::string(stateName(status.state)));
            if (queue.stopsOnError && (status.state == RunState::Failed || status.state == RunState::Interrupted))
                holdOthers(queue, entry, status);
            return true;
        });
    });
    for (const QueueAlert& alert : untold)
        notices.send(alert);
}

void Scheduler::Private::holdOthers(Queue& queue, const QueueEntry& failed, const RunStatus& status)
{
    if (std::ranges::all_of(queue.waiting, &QueueEntry::isHeld))
        return;
    for (QueueEntry& entry : queue.waiting)
        entry.isHeld = true;
    untold.push_back(alertOfHold(failed, status));
    addAlert(queue, untold.back());
    log.warning("run " + failed.run + " holds the queue: " + untold.back().message);
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
        const bool isForGpus = isOnChosen || wanted > 0;
        if (!entry->isUrgent && !(isForGpus ? hasGpus : hasPlace(queue))) {
            std::string problem;
            if (isForGpus)
                problem = missingGpus.problemOf(*entry, visibleGpus(hostGpus(), std::getenv("CUDA_VISIBLE_DEVICES")));
            if (!problem.empty())
                chosen = Turn {.entry = *entry, .problem = problem};
            return;
        }
        if (contract::isBeingStarted(folderOf(*entry)))
            return;  // by somebody else; the next turn finds it started
        gpus.resize(hasGpus && !isOnChosen ? wanted : 0);
        entry->given = isOnChosen ? entry->chosen : gpus;
        chosen = Turn {*entry};
        try {
            if (isLost(home, folderOf(*entry)))
                throw std::runtime_error(inspectRun(folderOf(*entry)).cause);
            chosen->run = takePrepared(folderOf(*entry), entry->attempt);
        } catch (const std::exception& error) {
            chosen->problem = error.what();
        }
    });
    return chosen;
}

/// Gives up the right to start the run when it returns.
void Scheduler::Private::startRun(Turn turn)
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
    // A supervisor that could not start ranks has begun the attempt, which has failed: its journal says so.
    const bool hasBegun = turn.run && contract::hasStarted(folderOf(entry), entry.attempt);
    const QueueAlert alert = alertOfStart(entry, problem, hasBegun);
    editQueue(home, [&](Queue& queue) {
        const auto place = std::ranges::find(queue.waiting, entry.run, &QueueEntry::run);
        if (place == queue.waiting.end())
            return;
        if (problem.empty() || hasBegun) {
            queue.started.push_back(entry);
            queue.waiting.erase(place);
        } else {
            place->problem = problem;
            place->isHeld = true;
            place->isUrgent = false;
            place->given.clear();
            addAlert(queue, alert);
        }
    });
    if (!problem.empty())
        notices.send(alert);
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

/// Waits for the web address; the next scheduler need not.
void Scheduler::Private::leave()
{
    if (descriptor < 0 && !notices.isSending())
        Q_EMIT q->idle();
}

Scheduler::Scheduler(const DataHome& home, QObject* parent)
    : QObject(parent)
    , m_d(std::make_unique<Private>(this, home))
{
    connect(&m_d->timer, &QTimer::timeout, this, [this] { m_d->takeTurn(); });
    connect(&m_d->notices, &QueueNotices::answered, this, [this] { m_d->leave(); });
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
