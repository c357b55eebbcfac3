#include "launcher/supervisor/supervisor.h"

#include "engine/contract/attempt/attempt.h"
#include "engine/contract/experiment/gpu_names.h"
#include "engine/contract/run/control.h"
#include "engine/contract/run/journal.h"
#include "engine/contract/run/supervisor_lock.h"
#include "engine/contract/variables/variable_list.h"
#include "launcher/base/program_path.h"
#include "launcher/base/ready_pipe.h"
#include "launcher/base/signal_pipe.h"
#include "launcher/machine/sleep_lock.h"
#include "launcher/state/outcome.h"
#include "launcher/state/supervisor_events.h"
#include "launcher/supervisor/control_message.h"
#include "launcher/supervisor/control_server.h"
#include "launcher/supervisor/restarts.h"
#include "launcher/supervisor/running_attempt.h"
#include "launcher/supervisor/supervisor_journal.h"
#include "launcher/supervisor/supervisor_log.h"
#include "launcher/supervisor/webhook.h"

#include <QSocketNotifier>
#include <QTimer>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

namespace launcher {
namespace {

using namespace std::chrono_literals;

constexpr int kEndRecordTries = 20;
constexpr auto kEndRecordPause = 250ms;

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
        , sleepLock([this](const std::string& problem) { log.info(problem); })
    {
        restartTimer.setSingleShot(true);
        QObject::connect(&restartTimer, &QTimer::timeout, q, [this] { restart(); });
    }

    /// A failed attempt that another one is to follow.
    struct Failed {
        std::string cause;
        std::int64_t restart = 1;  ///< number of the restart
    };

    std::string start();
    std::string startFirst();
    void listenToSignals();
    std::string startRanks(const contract::AttemptStart& start, const std::string& visibleGpus);

    std::string execute(ControlCommand command);
    std::string stop(StopRequest request);
    void stopWaiting();

    void onStall(const std::string& silence);
    void onRule(const contract::FiredRule& fired);
    void onEnd();
    bool isRestartDue(Outcome& outcome, bool wasHanging);
    void restart();
    std::string startAgain(const Failed& former);
    void journalEnd(const Outcome& outcome, int triesLeft);
    void notify(const std::string& state, const std::string& cause, std::int64_t step, const std::function<void()>& done);

    Supervisor* q;
    DataHome home;
    contract::RunFolder folder;
    contract::Experiment experiment;  ///< of the last attempt
    std::int64_t begunFrom = 0;       ///< step of its checkpoint
    StopRequest stopRequest = StopRequest::None;

    contract::SupervisorLock lock;
    SupervisorLog log;
    SupervisorJournal journal;
    ControlServer server;
    SleepLock sleepLock;  ///< held from the start of the ranks to the end of the run, pauses before restarts included
    std::optional<SignalPipe> signals;
    std::unique_ptr<QSocketNotifier> signalNotifier;  // declared after the pipe, so that it is destroyed first
    std::unique_ptr<WebhookSender> sender;
    std::unique_ptr<RunningAttempt> attempt;

    std::optional<Restarts> restarts;
    std::string stoppedBy;         ///< the rule that stopped the run; empty: none did
    bool isHanging = false;        ///< the supervisor has killed the ranks for that reason
    std::optional<Failed> failed;  ///< while the ranks are to be started again
    QTimer restartTimer;
};

std::string Supervisor::Private::start()
{
    std::string problem = lock.take();
    if (!problem.empty())
        return problem;
    try {
        problem = startFirst();
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

std::string Supervisor::Private::startFirst()
{
    const std::vector<int> attempts = folder.attempts();
    if (attempts.empty())
        return folder.root().string() + " contains no attempt of a run; start one with `atelier run`";
    const int number = attempts.back();
    if (contract::hasStarted(folder, number))
        return "attempt " + std::to_string(number) + " of run " + folder.id() + " has been started before; `atelier resume " + folder.id()
            + "` adds another one";
    lock.describe(number);
    std::string problem = journal.open(folder, number);
    if (!problem.empty())
        return problem;
    experiment = contract::experimentOf(folder, number);
    restarts.emplace(folder, experiment);
    home.create();
    problem = server.listen(supervisorSocket(home, folder.root()));
    if (!problem.empty())
        return problem;
    listenToSignals();
    return startRanks(folder.readStart(number), {});
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

std::string Supervisor::Private::startRanks(const contract::AttemptStart& start, const std::string& visibleGpus)
{
    begunFrom = start.parentStep;
    const RankPlan plan {.worker = programPath("atelier-worker"), .attempt = start.attempt, .ranks = start.ranks,
        .threads = static_cast<int>(experiment.integer("run.threads")), .visibleGpus = visibleGpus,
        .variables = contract::parseVariables(experiment.text("launch.environment")).variables};
    attempt = std::make_unique<RunningAttempt>(folder, plan, experiment, journal, log);
    QObject::connect(attempt.get(), &RunningAttempt::recordsWritten, q, [this] { Q_EMIT q->recordsWritten(); });
    QObject::connect(attempt.get(), &RunningAttempt::stalled, q, [this](const std::string& silence) { onStall(silence); });
    QObject::connect(attempt.get(), &RunningAttempt::ruleFired, q, [this](const contract::FiredRule& fired) { onRule(fired); });
    QObject::connect(attempt.get(), &RunningAttempt::ended, q, [this] { onEnd(); });
    const std::string problem = attempt->start();
    if (problem.empty() && contract::wantsFreeGpus(experiment)) {
        const char* const given = std::getenv("CUDA_VISIBLE_DEVICES");
        const std::string gpus = visibleGpus.empty() && given ? given : visibleGpus;
        journal.event("info", contract::event::kNotice, start.parentStep, "The ranks have the GPUs " + gpus + ", which were free");
    }
    if (problem.empty())  // from the event loop: a system bus that does not answer must not delay the start
        QTimer::singleShot(0, q, [this] { sleepLock.take("Run " + experiment.text("run.name") + " is training"); });
    return problem;
}

std::string Supervisor::Private::execute(ControlCommand command)
{
    if (command == ControlCommand::Ping)
        return {};
    const bool isStop = command == ControlCommand::Stop || command == ControlCommand::StopNow || command == ControlCommand::Kill;
    if (failed && !isStop)
        return "run " + folder.id() + " has no running rank: it waits before restart " + std::to_string(failed->restart);
    if (!failed && (!attempt || attempt->alive() == 0))
        return "run " + folder.id() + " has no running rank; it is about to end";
    log.info(std::string(commandName(command)) + " was requested");
    switch (command) {
    case ControlCommand::Stop:
        return stop(StopRequest::AfterStep);
    case ControlCommand::StopNow:
        return stop(StopRequest::Now);
    case ControlCommand::Kill:
        return stop(StopRequest::Kill);
    case ControlCommand::Checkpoint:
        return attempt->forward(contract::Command::Checkpoint);
    case ControlCommand::Sample:
        return attempt->forward(contract::Command::Sample);
    case ControlCommand::Ping:
        break;
    }
    return {};
}

std::string Supervisor::Private::stop(StopRequest request)
{
    constexpr const char* kWords[] = {"", "stop", "stop_now", "kill"};
    journal.command(kWords[static_cast<int>(request)], std::max(attempt->rankZero().step, begunFrom));
    // A later, milder request does not replace a harsher one.
    stopRequest = std::max(stopRequest, request);
    if (failed)
        stopWaiting();
    else if (request == StopRequest::AfterStep)
        return attempt->forward(contract::Command::Stop);
    else if (request == StopRequest::Now)
        attempt->stopNow();
    else
        attempt->kill();
    return {};
}

/// Ends the run, whose ranks are not running. The caller gets its reply first.
void Supervisor::Private::stopWaiting()
{
    restartTimer.stop();
    const std::string cause = "stopped before restart " + std::to_string(failed->restart) + "; before that: " + failed->cause;
    failed.reset();
    QTimer::singleShot(0, q, [this, cause] { journalEnd({"stopped", cause}, kEndRecordTries); });
}

void Supervisor::Private::onStall(const std::string& silence)
{
    const std::int64_t step = attempt->rankZero().step;
    // Only a restart mends a hang; without one it may end by itself.
    if (stopRequest == StopRequest::None && restarts->wouldFollowHang(step, begunFrom)) {
        isHanging = true;
        attempt->kill();
    } else {
        notify("stalled", silence, step, [] { });
    }
}

void Supervisor::Private::onRule(const contract::FiredRule& fired)
{
    using Action = contract::ActingRule::Action;
    for (const Action action : fired.rule.actions) {
        std::string problem;
        switch (action) {
        case Action::Notify:
            notify("rule", fired.sentence(), fired.step, [] { });
            break;
        case Action::Checkpoint:
            problem = execute(ControlCommand::Checkpoint);
            break;
        case Action::Sample:
            problem = execute(ControlCommand::Sample);
            break;
        case Action::Stop:
            if (stopRequest == StopRequest::None)
                stoppedBy = fired.sentence();
            problem = execute(ControlCommand::Stop);
            break;
        }
        if (!problem.empty())
            log.warning(problem);
    }
}

void Supervisor::Private::onEnd()
{
    const JournalEnd rankZero = attempt->rankZero();
    const bool wasHanging = std::exchange(isHanging, false) && rankZero.outcome.empty();
    Outcome outcome = wasHanging ? Outcome {"failed", "The ranks hung at step " + std::to_string(rankZero.step)}
                                 : judgeOutcome(attempt->exits(), stopRequest, rankZero);
    if (outcome.word == "stopped" && outcome.cause.empty() && !stoppedBy.empty())
        outcome.cause = "stopped by the rule " + stoppedBy;
    if (outcome.word != "failed" || stopRequest != StopRequest::None || !restarts->areAllowed() || !isRestartDue(outcome, wasHanging))
        journalEnd(outcome, kEndRecordTries);
}

/// Begins the pause before the next attempt, if there is to be one. Otherwise adds to the cause why there is none.
bool Supervisor::Private::isRestartDue(Outcome& outcome, bool wasHanging)
{
    const auto exit = wasHanging ? std::nullopt : firstCause(attempt->exits());
    const auto verdict = restarts->judge(exit ? failureOf(*exit) : hangAt(attempt->rankZero().step), begunFrom, experiment);
    if (verdict.number == 0) {
        outcome.cause += "; not started again: " + verdict.refusal;
        return false;
    }
    failed = Failed {.cause = exit ? whatHappened(*exit) : outcome.cause, .restart = verdict.number};
    if (verdict.pause > 0ms) {
        journal.restarting({.number = verdict.number, .most = restarts->most(), .pause = verdict.pause}, attempt->lastStep(), failed->cause);
        log.warning(failed->cause + "; waits " + std::to_string(verdict.pause.count() / 1000) + " s before restart " + std::to_string(verdict.number));
    }
    restartTimer.start(verdict.pause);
    return true;
}

void Supervisor::Private::restart()
{
    const Failed former = *std::exchange(failed, std::nullopt);
    std::string problem;
    try {
        problem = startAgain(former);
    } catch (const std::exception& error) {
        problem = error.what();
    }
    if (!problem.empty())
        journalEnd({"failed", former.cause + "; not started again: " + problem}, kEndRecordTries);
}

/// Adds an attempt and starts its ranks.
std::string Supervisor::Private::startAgain(const Failed& former)
{
    const Restarts::Next next = restarts->prepare(experiment);
    lock.describe(next.start.attempt);
    // Only now, because from here on the end of another attempt is the run's.
    journal.end("failed", former.cause, attempt->lastStep(), former.restart);
    if (const std::string problem = journal.open(folder, next.start.attempt); !problem.empty())
        return problem;
    experiment = next.experiment;
    const std::string message = former.cause + "; started again from " + next.origin + ", restart " + std::to_string(former.restart) + " of "
        + std::to_string(restarts->most());
    log.warning(message);
    journal.event("warning", event::kRestarted, next.start.parentStep, message);
    if (!next.notice.empty())
        journal.event("warning", contract::event::kNotice, next.start.parentStep, "The run " + next.notice);
    return startRanks(next.start, next.visibleGpus);
}

void Supervisor::Private::journalEnd(const Outcome& outcome, int triesLeft)
{
    sleepLock.release();
    const bool isWritten = journal.end(outcome.word, outcome.cause, attempt->lastStep());
    if (!isWritten && triesLeft > 0) {
        QTimer::singleShot(kEndRecordPause, q,
            [this, outcome, triesLeft] { journalEnd(outcome, triesLeft - 1); });
        return;
    }
    log.info("the run has " + outcome.word + (outcome.cause.empty() ? "" : ": " + outcome.cause));
    server.close();
    Q_EMIT q->ending();
    lock.release();  // the run is over, whatever the address does
    const auto end = [this, outcome] { Q_EMIT q->finished(QString::fromStdString(outcome.word), QString::fromStdString(outcome.cause)); };
    if (outcome.word == "stopped" && stoppedBy.empty())
        end();  // whoever has stopped it knows
    else
        notify(outcome.word, outcome.cause, attempt->lastStep(), end);
}

/// Tells the user's web address, if there is one. @p done is called in any case.
void Supervisor::Private::notify(const std::string& state, const std::string& cause, std::int64_t step, const std::function<void()>& done)
{
    const std::string url = webhook(home);
    if (url.empty())
        return done();
    if (!sender)
        sender = std::make_unique<WebhookSender>();
    const std::string name = experiment.text("run.name");
    sender->send(url, {.run = folder.id(), .name = name, .state = state, .cause = cause, .step = step}, [this, done](const std::string& problem) {
        if (!problem.empty())
            log.warning(problem);
        done();
    });
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
