#include "app/cli/follower.h"

#include "app/cli/format.h"

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
    // Rank 0 before the supervisor: when the supervisor says the end, everything else has been read.
    const auto ranks = static_cast<int>(experiment.integer("launch.ranks"));
    for (int i = 0; i <= ranks; ++i) {
        const int rank = i < ranks ? i : contract::kSupervisorRank;
        m_tails.push_back({rank, JournalTail(folder.journal(rank), sizeOf(folder.journal(rank)))});
    }
}

Follower::End Follower::follow()
{
    Clock::time_point nextLook = Clock::now() + 1s;
    while (m_result.outcome.empty() && !m_hasLeft) {
        if (const auto number = m_signals.wait(100ms))
            onSignal(*number);
        sendWanted();
        readJournals();
        m_line.show(statusText());
        if (Clock::now() >= nextLook) {
            lookAtState();
            nextLook = Clock::now() + 500ms;
        }
    }
    if (m_hasLeft)
        return m_interrupts > 1 ? End::Killed : End::Left;
    m_line.finish();
    waitForSupervisor();
    return m_interrupts > 1 ? End::Killed : End::Ended;
}

void Follower::onSignal(int number)
{
    if (number == SIGHUP) {
        m_hasLeft = true;
        return;
    }
    ++m_interrupts;
    if (m_interrupts == 1) {
        m_wanted = ControlCommand::Stop;
        m_line.addMessage("Stopping after this step, with a checkpoint. Ctrl+C again kills the run.");
    } else if (m_interrupts == 2) {
        m_wanted = ControlCommand::Kill;
        m_line.addMessage("Killing every rank.");
    } else {
        m_hasLeft = true;  // a supervisor that does not answer must not hold the terminal
    }
}

void Follower::sendWanted()
{
    // A supervisor that has just started may not listen yet: it is asked again until it accepts.
    if (m_wanted && launcher::sendCommand(m_home, m_folder, *m_wanted, 500).isAccepted)
        m_wanted.reset();
}

void Follower::readJournals()
{
    for (Tail& each : m_tails)
        each.tail.poll([&](const contract::JournalLine& line) { onRecord(each.rank, line); });
}

void Follower::onRecord(int rank, const contract::JournalLine& line)
{
    if (line.kind != contract::JournalLine::Kind::Record)
        return;
    if (line.type == contract::record::kEvent)
        onEvent(rank, line);
    if (rank == 0) {
        m_result.add(line);
        if (line.type == contract::record::kStep)
            m_progress.addStep(line);
    }
    if (rank == contract::kSupervisorRank && line.type == contract::record::kEnd) {
        m_result.outcome = line.text("outcome");
        m_result.cause = line.text("cause");
    }
}

void Follower::onEvent(int rank, const contract::JournalLine& line)
{
    const std::string_view level = line.text("level");
    const std::string message = printable(line.text("message"));
    if (line.text("kind") == contract::event::kPhase && rank >= 0)
        m_phase = nameOfRank(rank) + " " + message;
    if (level != "warning" && level != "error")
        return;
    m_line.addMessage(std::string(level) + ": " + nameOfRank(rank) + ", step "
        + std::to_string(line.step) + ": " + message);
}

void Follower::lookAtState()
{
    const launcher::RunStatus status = launcher::inspectRun(m_folder);
    if (status.state != m_state && status.state == launcher::RunState::Stalled)
        m_line.addMessage("warning: " + printable(status.cause));
    m_state = status.state;
    if (launcher::isActive(status.state))
        return;
    // It may have written its last word just before it went.
    readJournals();
    if (m_result.outcome.empty()) {
        m_result.outcome = "interrupted";
        m_result.cause = status.cause;
    }
}

/// Its last deeds (the database, the lock) take a moment; whoever comes next should not meet them.
void Follower::waitForSupervisor()
{
    const auto deadline = Clock::now() + 5s;
    while (launcher::isActive(launcher::inspectRun(m_folder).state) && Clock::now() < deadline)
        m_signals.wait(20ms);
}

std::string Follower::statusText() const
{
    if (m_progress.step() == 0)
        return m_phase;
    const bool isAsked = m_interrupts > 0 || m_state == launcher::RunState::Stopping;
    return (isAsked ? "stopping: " : "") + m_progress.text();
}

}  // namespace app
