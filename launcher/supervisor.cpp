#include "launcher/supervisor.h"

#include "engine/contract/experiment/experiment.h"
#include "engine/contract/formats/sentence.h"
#include "engine/contract/run/control.h"
#include "engine/contract/run/journal.h"
#include "launcher/control_message.h"
#include "launcher/control_server.h"
#include "launcher/file_end.h"
#include "launcher/folder_watch.h"
#include "launcher/folders.h"
#include "launcher/host_journal.h"
#include "launcher/journal_end.h"
#include "launcher/launch.h"
#include "launcher/outcome.h"
#include "launcher/rank_group.h"
#include "launcher/ready_pipe.h"
#include "launcher/signal_pipe.h"
#include "launcher/stall_watch.h"
#include "launcher/supervisor_events.h"
#include "launcher/supervisor_journal.h"
#include "launcher/webhook.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/supervisor_log.h"

#include <QSocketNotifier>
#include <QTimer>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <system_error>

namespace launcher {
namespace {

using namespace std::chrono_literals;

// How long ranks may take to exit before they are killed.
constexpr auto kExitTimeAfterFailure = 1500ms;  // lets the other ranks notice the failure and log it
constexpr auto kExitTimeAfterStopNow = 10s;
constexpr auto kExitTimeAfterRankZero = 30s;
constexpr auto kHeartbeat = 1s;
constexpr int kHeartbeatsPerSample = 5;  // of what the machine does
constexpr int kEndRecordTries = 20;
constexpr auto kEndRecordPause = 250ms;

/// The highest step that any exited rank has journalled.
std::int64_t lastStep(const RankGroup& ranks)
{
    std::int64_t step = 0;
    for (const RankExit& exit : ranks.exits())
        step = std::max(step, exit.step);
    return step;
}

}  // namespace

class Supervisor::Private {
public:
    Private(Supervisor* owner, const DataHome& dataHome, const contract::RunFolder& runFolder)
        : q(owner)
        , home(dataHome)
        , folder(runFolder)
        , lock(runFolder)
        , log(runFolder.log(contract::kSupervisorRank))
        , server([this](ControlCommand command) { return execute(command); })
    {
        deadline.setSingleShot(true);
        QObject::connect(&deadline, &QTimer::timeout, q, [this] { ranks->killAll(); });
        QObject::connect(&heartbeat, &QTimer::timeout, q, [this] { onHeartbeat(); });
    }

    std::string start();
    std::string startAttempt();
    void listenToSignals();
    std::string startRanks(const contract::Experiment& experiment);

    std::string execute(ControlCommand command);
    std::string forwardToRanks(contract::Command command);
    void requestStop(StopRequest request);
    void killAfter(std::chrono::milliseconds time);

    void onHeartbeat();
    void onRankExit(const RankExit& exit);
    void conclude();
    void journalEnd(const Outcome& outcome, int triesLeft);
    void tell(const std::string& state, const std::string& cause, std::int64_t step, const std::function<void()>& done);
    void end(const Outcome& outcome);

    Supervisor* q;
    DataHome home;
    contract::RunFolder folder;
    int attempt = 0;
    std::int64_t journalOffset = 0;  ///< size of rank 0's journal before the ranks were started
    StopRequest stopRequest = StopRequest::None;

    contract::SupervisorLock lock;
    SupervisorLog log;
    SupervisorJournal journal;
    ControlServer server;
    std::optional<SignalPipe> signals;
    std::unique_ptr<QSocketNotifier> signalNotifier;  // declared after the pipe, so that it is destroyed first
    std::optional<StallWatch> stall;
    std::string name;  ///< the run's
    std::unique_ptr<WebhookSender> sender;
    std::optional<HostJournal> host;
    int heartbeats = 0;
    std::unique_ptr<FolderWatch> watch;
    std::unique_ptr<RankGroup> ranks;
    QTimer deadline;
    QTimer heartbeat;
};

std::string Supervisor::Private::start()
{
    std::string problem = lock.take();
    if (!problem.empty())
        return problem;
    try {
        problem = startAttempt();
    } catch (const std::exception& error) {
        problem = error.what();
    }
    if (!problem.empty()) {
        log.error(problem);
        journal.end("failed", problem, 0);
        server.close();
        lock.release();
    }
    return problem;
}

std::string Supervisor::Private::startAttempt()
{
    const std::vector<int> attempts = folder.attempts();
    if (attempts.empty())
        return folder.root().string() + " contains no attempt of a run; start one with `atelier run`";
    attempt = attempts.back();
    if (contract::hasStarted(folder, attempt))
        return "attempt " + std::to_string(attempt) + " of run " + folder.id() + " has been started before; `atelier resume " + folder.id()
            + "` adds another one";
    lock.describe(attempt);
    std::string problem = journal.open(folder, attempt);
    if (!problem.empty())
        return problem;
    const auto parsed = contract::loadExperiment(folder.config(attempt));
    if (!parsed.problems.empty())
        return folder.config(attempt).string() + ": " + parsed.problems.front().message;
    name = parsed.experiment.text("run.name");
    home.create();
    problem = server.listen(supervisorSocket(home, folder.root()));
    if (!problem.empty())
        return problem;
    listenToSignals();
    return startRanks(parsed.experiment);
}

void Supervisor::Private::listenToSignals()
{
    signals.emplace({SIGTERM, SIGINT, SIGUSR1});
    signalNotifier = std::make_unique<QSocketNotifier>(signals->descriptor(), QSocketNotifier::Read);
    QObject::connect(signalNotifier.get(), &QSocketNotifier::activated, q, [this] {
        while (const auto number = signals->wait()) {
            const std::string problem
                = execute(*number == SIGUSR1 ? ControlCommand::Checkpoint : ControlCommand::Stop);
            if (!problem.empty())
                log.warning(problem);
        }
    });
}

std::string Supervisor::Private::startRanks(const contract::Experiment& experiment)
{
    const RankPlan plan {.worker = programPath("atelier-worker"),
        .attempt = attempt,
        .ranks = folder.readStart(attempt).ranks,
        .threads = static_cast<int>(experiment.integer("run.threads"))};
    watch = std::make_unique<FolderWatch>(folder);
    journalOffset = readFileEnd(folder.journal(0), 0, 0).size;
    stall.emplace(folder, attempt, journalOffset, experiment.integer("launch.stall_after"));
    ranks = std::make_unique<RankGroup>(folder, plan);
    QObject::connect(watch.get(), &FolderWatch::changed, q, [this](bool byRank) {
        if (byRank && stall->onRecord())
            journal.event("info", event::kRecovered, 0, "The ranks write records again");
        Q_EMIT q->recordsWritten();
    });
    QObject::connect(ranks.get(), &RankGroup::rankExited, q,
        [this](const RankExit& exit) { onRankExit(exit); });
    const std::string problem = ranks->start();
    if (!problem.empty())
        return problem;
    host.emplace(folder, attempt);
    host->sample(ranks->processes());
    heartbeat.start(kHeartbeat);
    log.info("attempt " + std::to_string(attempt) + ": " + std::to_string(plan.ranks)
        + (plan.ranks == 1 ? " rank of " : " ranks of ") + plan.worker + " started");
    return {};
}

std::string Supervisor::Private::execute(ControlCommand command)
{
    if (command == ControlCommand::Ping)
        return {};
    if (!ranks || ranks->alive() == 0)
        return "run " + folder.id() + " has no running rank; it is about to end";
    log.info(std::string(commandName(command)) + " was requested");
    switch (command) {
    case ControlCommand::Stop:
        requestStop(StopRequest::AfterStep);
        return forwardToRanks(contract::Command::Stop);
    case ControlCommand::StopNow:
        requestStop(StopRequest::Now);
        ranks->interruptAll();
        killAfter(kExitTimeAfterStopNow);
        return {};
    case ControlCommand::Kill:
        requestStop(StopRequest::Kill);
        ranks->killAll();
        return {};
    case ControlCommand::Checkpoint:
        return forwardToRanks(contract::Command::Checkpoint);
    case ControlCommand::Sample:
        return forwardToRanks(contract::Command::Sample);
    case ControlCommand::Ping:
        break;
    }
    return {};
}

/// Appends the command to the control file. When that fails, for example because the disk is full, sends the command as a
/// signal to rank 0 if there is one for it, so that the run can still be stopped.
std::string Supervisor::Private::forwardToRanks(contract::Command command)
{
    try {
        contract::appendCommand(folder.control(), command);
        return {};
    } catch (const std::system_error& error) {
        const std::string problem = contract::cannotBe("written", folder.control(), error.code().value());
        log.warning(problem);
        if (command == contract::Command::Sample)
            return problem;
        ranks->signalRank(0, command == contract::Command::Stop ? SIGTERM : SIGUSR1);
        return {};
    }
}

void Supervisor::Private::requestStop(StopRequest request)
{
    constexpr const char* kWords[] = {"", "stop", "stop_now", "kill"};
    journal.command(kWords[static_cast<int>(request)]);
    // A later, milder request does not replace a harsher one.
    stopRequest = std::max(stopRequest, request);
}

/// Kills the ranks that are still alive after @p time; an earlier deadline stays in force.
void Supervisor::Private::killAfter(std::chrono::milliseconds time)
{
    if (!deadline.isActive() || deadline.remainingTimeAsDuration() > time)
        deadline.start(time);
}

void Supervisor::Private::onHeartbeat()
{
    ranks->markMemory();
    if (++heartbeats % kHeartbeatsPerSample == 0)
        host->sample(ranks->processes());
    if (const std::string silence = stall->check(); !silence.empty()) {
        log.warning(silence);
        journal.event("warning", event::kStalled, 0, silence);
        tell("stalled", silence, readJournalEnd(folder.journal(0), attempt, journalOffset).step, [] { });
    }
}

void Supervisor::Private::onRankExit(const RankExit& exit)
{
    journal.rankExit(exit);
    log.info(describe(exit));
    if (ranks->alive() == 0)
        return conclude();
    if (exit.isFailure())
        killAfter(kExitTimeAfterFailure);
    else if (exit.rank == 0)
        killAfter(kExitTimeAfterRankZero);
}

void Supervisor::Private::conclude()
{
    deadline.stop();
    heartbeat.stop();
    const JournalEnd rankZero = readJournalEnd(folder.journal(0), attempt, journalOffset);
    journalEnd(judgeOutcome(ranks->exits(), stopRequest, rankZero), kEndRecordTries);
}

void Supervisor::Private::journalEnd(const Outcome& outcome, int triesLeft)
{
    const bool isWritten = journal.end(outcome.word, outcome.cause, lastStep(*ranks));
    if (!isWritten && triesLeft > 0) {
        QTimer::singleShot(kEndRecordPause, q,
            [this, outcome, triesLeft] { journalEnd(outcome, triesLeft - 1); });
        return;
    }
    log.info("the run has " + outcome.word + (outcome.cause.empty() ? "" : ": " + outcome.cause));
    server.close();
    Q_EMIT q->recordsWritten();
    lock.release();  // the run is over, whatever the address does
    if (outcome.word == "stopped")
        end(outcome);  // whoever has stopped it knows
    else
        tell(outcome.word, outcome.cause, lastStep(*ranks), [this, outcome] { end(outcome); });
}

/// Tells the user's web address, if there is one. @p done is called in any case.
void Supervisor::Private::tell(const std::string& state, const std::string& cause, std::int64_t step, const std::function<void()>& done)
{
    const std::string url = webhook(home);
    if (url.empty())
        return done();
    if (!sender)
        sender = std::make_unique<WebhookSender>();
    sender->send(url, {.run = folder.id(), .name = name, .state = state, .cause = cause, .step = step}, [this, done](const std::string& problem) {
        if (!problem.empty())
            log.warning(problem);
        done();
    });
}

void Supervisor::Private::end(const Outcome& outcome)
{
    Q_EMIT q->finished(QString::fromStdString(outcome.word), QString::fromStdString(outcome.cause));
}

Supervisor::Supervisor(const DataHome& home, const contract::RunFolder& folder, QObject* parent)
    : QObject(parent)
    , m_d(std::make_unique<Private>(this, home, folder))
{
}

Supervisor::~Supervisor() = default;

std::string Supervisor::start()
{
    const std::string problem = m_d->start();
    reportToStarter(problem);
    return problem;
}

void Supervisor::stop() { m_d->execute(ControlCommand::Stop); }
void Supervisor::stopNow() { m_d->execute(ControlCommand::StopNow); }
void Supervisor::kill() { m_d->execute(ControlCommand::Kill); }

}  // namespace launcher
