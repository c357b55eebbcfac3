#include "launcher/supervisor/running_attempt.h"

#include "engine/contract/formats/sentence.h"
#include "engine/contract/run/stall.h"
#include "launcher/base/file_end.h"
#include "launcher/state/supervisor_events.h"
#include "launcher/supervisor/supervisor_journal.h"
#include "launcher/supervisor/supervisor_log.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <system_error>
#include <utility>

namespace launcher {
namespace {

using namespace std::chrono_literals;

// How long ranks may take to exit before they are killed.
constexpr auto kExitTimeAfterFailure = 1500ms;  // lets the other ranks notice the failure and log it
constexpr auto kExitTimeAfterStopNow = 10s;
constexpr auto kExitTimeAfterRankZero = 30s;
constexpr auto kHeartbeat = 1s;
constexpr int kHeartbeatsPerSample = 5;  // of what the machine does

}  // namespace

RunningAttempt::RunningAttempt(const contract::RunFolder& folder, RankPlan plan, const contract::Experiment& experiment,
    SupervisorJournal& journal, SupervisorLog& log)
    : m_folder(folder)
    , m_plan(std::move(plan))
    , m_journal(journal)
    , m_log(log)
    , m_journalOffset(readFileEnd(folder.journal(0), 0, 0).size)
    , m_stall(folder, m_plan.attempt, m_journalOffset, experiment.integer("launch.stall_after"))
    , m_watch(folder)
    , m_rules(contract::parseActingRules(experiment.text("run.rules")).rules, folder.journal(0), m_journalOffset)
    , m_host(folder, m_plan.attempt)
    , m_ranks(folder, m_plan)
{
    m_deadline.setSingleShot(true);
    connect(&m_deadline, &QTimer::timeout, this, [this] { m_ranks.killAll(); });
    connect(&m_heartbeat, &QTimer::timeout, this, [this] { onHeartbeat(); });
    connect(&m_watch, &FolderWatch::changed, this, [this](bool byRank) {
        if (byRank && m_stall.onRecord())
            m_journal.event("info", contract::event::kRecovered, 0, contract::kRecovery);
        if (byRank)
            pollRules();
        Q_EMIT recordsWritten();
    });
    connect(&m_ranks, &RankGroup::rankExited, this, [this](const RankExit& exit) { onRankExit(exit); });
}

std::string RunningAttempt::start()
{
    const std::string problem = m_ranks.start();
    if (!problem.empty())
        return problem;
    sampleHost();
    m_heartbeat.start(kHeartbeat);
    m_log.info("attempt " + std::to_string(m_plan.attempt) + ": " + std::to_string(m_plan.ranks)
        + (m_plan.ranks == 1 ? " rank of " : " ranks of ") + m_plan.worker + " started");
    return {};
}

void RunningAttempt::stopNow()
{
    m_ranks.interruptAll();
    killAfter(kExitTimeAfterStopNow);
}

void RunningAttempt::kill() { m_ranks.killAll(); }

std::string RunningAttempt::forward(contract::Command command)
{
    try {
        contract::appendCommand(m_folder.control(), command);
        return {};
    } catch (const std::system_error& error) {
        const std::string problem = contract::cannotBe("written", m_folder.control(), error.code().value());
        m_log.warning(problem);
        if (command == contract::Command::Sample)
            return problem;
        m_ranks.signalRank(0, command == contract::Command::Stop ? SIGTERM : SIGUSR1);
        return {};
    }
}

JournalEnd RunningAttempt::rankZero() const { return readJournalEnd(m_folder.journal(0), m_plan.attempt, m_journalOffset); }

std::int64_t RunningAttempt::lastStep() const
{
    std::int64_t step = 0;
    for (const RankExit& exit : m_ranks.exits())
        step = std::max(step, exit.step);
    return step;
}

/// Kills the ranks that are still alive after @p time; an earlier deadline stays in force.
void RunningAttempt::killAfter(std::chrono::milliseconds time)
{
    if (!m_deadline.isActive() || m_deadline.remainingTimeAsDuration() > time)
        m_deadline.start(time);
}

void RunningAttempt::pollRules()
{
    for (const contract::FiredRule& fired : m_rules.poll()) {
        m_log.warning("the rule " + fired.sentence() + " has fired");
        m_journal.event("warning", contract::kRuleEvent, fired.step, fired.sentence());
        Q_EMIT ruleFired(fired);
    }
}

void RunningAttempt::sampleHost()
{
    const std::optional<std::int64_t> free = m_host.sample(m_ranks.processes());
    if (!free || *free >= contract::kLowDiskBytes || m_isDiskLow)
        return;
    m_isDiskLow = true;
    char text[80];
    std::snprintf(text, sizeof text, "%.1f GB are free where the run is kept; checkpoints may soon not fit", static_cast<double>(*free) / 1e9);
    m_log.warning(text);
    m_journal.event("warning", contract::event::kDiskLow, 0, text);
}

void RunningAttempt::onHeartbeat()
{
    m_ranks.markMemory();
    pollRules();
    if (++m_heartbeats % kHeartbeatsPerSample == 0)
        sampleHost();
    if (const std::string silence = m_stall.check(); !silence.empty()) {
        m_log.warning(silence);
        m_journal.event("warning", contract::event::kStalled, 0, silence);
        Q_EMIT stalled(silence);
    }
}

void RunningAttempt::onRankExit(const RankExit& exit)
{
    m_journal.rankExit(exit);
    m_log.info(describe(exit));
    if (m_ranks.alive() == 0) {
        m_deadline.stop();
        m_heartbeat.stop();
        Q_EMIT ended();
    } else if (exit.isFailure()) {
        killAfter(kExitTimeAfterFailure);
    } else if (exit.rank == 0) {
        killAfter(kExitTimeAfterRankZero);
    }
}

}  // namespace launcher
