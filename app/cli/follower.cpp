#include "app/cli/follower.h"

#include "app/cli/format.h"
#include "launcher/slurm/slurm_client.h"
#include "launcher/state/supervisor_events.h"

#include <algorithm>
#include <chrono>
#include <csignal>

namespace app {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using launcher::ControlCommand;

std::string nameOfRank(int rank)
{
    return rank == contract::kSupervisorRank ? "supervisor" : "rank " + std::to_string(rank);
}

}  // namespace

Follower::Follower(const launcher::DataHome& home, const contract::RunFolder& folder,
    const contract::Experiment& experiment, std::FILE* stream)
    : m_home(home)
    , m_folder(folder)
    , m_line(stream)
    , m_progress(experiment.integer("run.total_steps"))
{
    // The supervisor's journal is read last: when its end record is read, the ranks' journals have been read to their end.
    const auto ranks = static_cast<int>(experiment.integer("launch.ranks"));
    for (int i = 0; i <= ranks; ++i) {
        const int rank = i < ranks ? i : contract::kSupervisorRank;
        m_tails.push_back({rank, JournalTail(folder.journal(rank), sizeOf(folder.journal(rank)))});
    }
}

Follower::End Follower::follow()
{
    Clock::time_point nextCheck = Clock::now() + 1s;
    while (m_result.outcome.empty() && !m_isDetached) {
        if (const auto number = m_signals.wait(100ms))
            onSignal(*number);
        sendPendingCommand();
        readJournals();
        m_line.show(statusText());
        if (Clock::now() >= nextCheck) {
            checkState();
            nextCheck = Clock::now() + 500ms;
        }
    }
    if (m_isDetached)
        return m_interrupts > 1 ? End::Killed : End::Detached;
    printOtherFailures();
    m_line.finish();
    waitForSupervisor();
    return m_interrupts > 1 ? End::Killed : End::Ended;
}

void Follower::onSignal(int number)
{
    if (number == SIGHUP) {
        m_isDetached = true;
        return;
    }
    ++m_interrupts;
    if (m_interrupts == 1) {
        m_pendingCommand = ControlCommand::Stop;
        m_line.addMessage("Stopping after this step, with a checkpoint. Ctrl+C again kills the run.");
    } else if (m_interrupts == 2) {
        m_pendingCommand = ControlCommand::Kill;
        m_line.addMessage("Killing every rank.");
    } else {
        m_isDetached = true;  // a supervisor that does not reply must not block the terminal
    }
}

void Follower::sendPendingCommand()
{
    // A supervisor that has just started may not listen yet, so the command is repeated until it is accepted.
    if (m_pendingCommand && launcher::sendCommand(m_home, m_folder, *m_pendingCommand, 500).isAccepted)
        m_pendingCommand.reset();
}

void Follower::readJournals()
{
    for (Tail& each : m_tails)
        each.tail.poll([&](const contract::JournalLine& line) { onRecord(each.rank, line); });
}

void Follower::onRecord(int rank, const contract::JournalLine& line)
{
    if (line.kind == contract::JournalLine::Kind::Header && rank == 0)
        m_progress.begin();
    if (line.kind != contract::JournalLine::Kind::Record)
        return;
    if (line.type == contract::record::kEvent)
        onEvent(rank, line);
    else if (line.type == contract::record::kActivity)
        onPhase(rank, line);
    if (rank == 0) {
        m_result.add(line);
        if (line.type == contract::record::kStep)
            m_progress.addStep(line);
        else if (line.type == contract::record::kMetrics)
            m_progress.addMetrics(line);
    }
    // After a restart another attempt decides how the run ends.
    if (rank == contract::kSupervisorRank && line.type == contract::record::kEnd && !line.field(launcher::event::kRestartField)) {
        m_result.outcome = line.text("outcome");
        m_result.cause = line.text("cause");
    }
}

void Follower::onPhase(int rank, const contract::JournalLine& line) { m_phase = nameOfRank(rank) + " " + printable(line.text("message")); }

void Follower::onEvent(int rank, const contract::JournalLine& line)
{
    const std::string_view level = line.text("level");
    const std::string message = printable(line.text("message"));
    const bool isRestart = line.text("kind") == contract::event::kRestarting || line.text("kind") == launcher::event::kRestarted;
    if (isRestart)
        m_failures.clear();  // the message says what they led to
    if (line.text("kind") == contract::event::kPhase && rank >= 0)
        onPhase(rank, line);
    if (level != "warning" && level != "error")
        return;
    const std::string who = nameOfRank(rank) + ": ";  // a failure's message begins with it
    const std::string text = std::string(level) + ": " + nameOfRank(rank) + ", step " + std::to_string(line.step) + ": "
        + (message.starts_with(who) ? message.substr(who.size()) : message);
    if (level == "error" && line.text("kind") != contract::event::kNotice && line.text("kind") != contract::event::kNotSaved)
        m_failures.push_back(text);  // the end of the run, which is near, decides whether it is worth a line
    else
        m_line.addMessage(text);
}

/// Every rank and the supervisor report a failure that all ranks share, and the run's cause is that sentence once more.
void Follower::printOtherFailures()
{
    std::vector<std::string> known = {m_result.cause};
    for (const std::string& failure : m_failures) {
        const std::string sentence = failure.substr(std::min(failure.rfind(": ") + 2, failure.size()));
        if (std::ranges::none_of(known, [&](const std::string& each) { return each.find(sentence) != std::string::npos; })) {
            m_line.addMessage(failure);
            known.push_back(failure);
        }
    }
}

void Follower::checkState()
{
    launcher::refreshSlurm(m_folder, 3s);
    const launcher::RunStatus status = launcher::inspectRun(m_folder);
    if (status.state != m_state && status.state == launcher::RunState::Stalled)
        m_line.addMessage("warning: " + printable(status.cause));
    m_state = status.state;
    m_waitsFor = status.waitsFor;
    if (launcher::isActive(status.state) || !status.slurmJob.empty())
        return;
    // The supervisor may have written its end record just before it exited.
    readJournals();
    if (m_result.outcome.empty()) {
        using enum launcher::RunState;
        const bool hasEnd = status.state == Finished || status.state == Stopped || status.state == Failed;
        m_result.outcome = hasEnd ? stateName(status.state) : "interrupted";
        m_result.cause = status.cause;
    }
}

/// Waits, at most 30 s or until a signal, until the supervisor has updated the database and released the lock, so that the
/// user's next command finds the run ended.
void Follower::waitForSupervisor()
{
    const auto deadline = Clock::now() + 30s;
    while (launcher::isActive(launcher::inspectRun(m_folder).state) && Clock::now() < deadline) {
        if (m_signals.wait(20ms))
            return;
    }
}

std::string Follower::statusText() const
{
    if (m_state == launcher::RunState::Restarting || m_state == launcher::RunState::Queued)
        return "waits for " + m_waitsFor;
    if (m_progress.step() == 0)
        return m_phase;
    const bool isStopping = m_interrupts > 0 || m_state == launcher::RunState::Stopping;
    return (isStopping ? "stopping: " : "") + m_progress.text();
}

}  // namespace app
