#include "engine/worker/supervisor_duties.h"

#include "engine/contract/run/journal.h"
#include "engine/contract/run/journal_parser.h"
#include "engine/contract/run/notice.h"
#include "engine/contract/run/stall.h"
#include "engine/worker/log.h"

#include <exception>
#include <fstream>
#include <system_error>
#include <utility>

namespace engine {

using Action = contract::ActingRule::Action;

namespace {

/// By what the stall limit is multiplied: whoever comes later hears what those before it have said.
double patience(int rank)
{
    if (rank == 0)
        return 1;
    return rank == 1 ? 1.5 : 2;
}

}  // namespace

SupervisorDuties::SupervisorDuties(const contract::RunFolder& folder, int attempt, int rank, int ranks, const contract::Experiment& experiment)
    : m_folder(folder)
    , m_attempt(attempt)
    , m_experiment(experiment)
    , m_isDeputy(isDeputy(rank, ranks))
    , m_watches(m_isDeputy ? std::vector<contract::ActingRule>() : contract::parseActingRules(experiment.text("run.rules")).rules)
    , m_watch(folder, ranks, experiment.integer("launch.stall_after"), patience(rank),
          [this](std::int64_t step, const std::string& sentence) { onStall(step, sentence); }, [this] { onRecovery(); })
{
    if (!m_isDeputy)
        contract::markUnreported(folder, attempt);
}

void SupervisorDuties::take(std::int64_t step, std::string_view metric, double value)
{
    m_watches.take(step, metric, value, m_fired);
    if (metric == contract::metric::kRankLoss)  // once a step, by every rank
        m_watch.stepDone(step);
}

std::vector<contract::Command> SupervisorDuties::act()
{
    std::vector<contract::Command> unwritten;
    for (const contract::FiredRule& fired : std::exchange(m_fired, {})) {
        logWarning("the rule " + fired.sentence() + " has fired");
        journal("warning", contract::kRuleEvent, fired.step, fired.sentence());
        for (const Action action : fired.rule.actions)
            carryOut(fired, action, unwritten);
    }
    return unwritten;
}

void SupervisorDuties::onStall(std::int64_t step, const std::string& sentence)
{
    // Another rank may have said it while this one stood still.
    m_hasReported = !isHangReported();
    if (!m_hasReported)
        return;
    logWarning(sentence);
    journal("warning", contract::event::kStalled, step, sentence);
    send(notice("stalled", sentence, step));
}

void SupervisorDuties::onRecovery()
{
    if (std::exchange(m_hasReported, false))
        journal("info", contract::event::kRecovered, 0, contract::kRecovery);
}

/// Whether the supervisor's journal says of this attempt that the ranks hang now.
bool SupervisorDuties::isHangReported() const
{
    std::ifstream journal(m_folder.journal(contract::kSupervisorRank), std::ios::binary);
    contract::JournalParser parser;
    bool isReported = false;
    for (std::string text; std::getline(journal, text) && !journal.eof();) {  // a line without its end is not a record yet
        const contract::JournalLine& line = parser.parse(text);
        if (line.type == contract::record::kEvent && line.text("kind") == contract::event::kStalled)
            isReported = true;
        else if ((line.kind == contract::JournalLine::Kind::Header && line.header.attempt != m_attempt) || (line.type == contract::record::kEvent && line.text("kind") == contract::event::kRecovered))
            isReported = false;
    }
    return isReported;
}

/// Writes an event as the supervisor does. When it cannot be written, the event is lost, but its action is still carried out.
void SupervisorDuties::journal(const char* level, std::string_view kind, std::int64_t step, const std::string& message)
{
    const std::lock_guard lock(m_mutex);
    try {
        if (!m_journal)
            m_journal.emplace(m_folder.journal(contract::kSupervisorRank),
                contract::JournalHeader {contract::kJournalVersion, m_folder.id(), m_attempt, contract::kSupervisorRank, {}, 0});
        m_journal->begin(contract::record::kEvent, step)
            .add("level", std::string_view(level))
            .add("kind", kind)
            .add("message", message)
            .commit();
    } catch (const std::system_error& error) {
        logWarning(std::string("an event is not recorded: ") + error.what());
    }
}

/// To the user's web address, if there is one.
void SupervisorDuties::send(const contract::Notice& notice, std::function<void()> onRefusal)
{
    const std::string address = contract::webAddressFor(m_folder);
    const std::lock_guard lock(m_mutex);
    if (!address.empty())
        m_sender.send(address, notice, std::move(onRefusal));
}

void SupervisorDuties::carryOut(const contract::FiredRule& fired, Action action, std::vector<contract::Command>& unwritten)
{
    if (action == Action::Notify) {
        send(notice("rule", fired.sentence(), fired.step));
        return;
    }
    const contract::Command command = action == Action::Stop ? contract::Command::Stop
        : action == Action::Checkpoint                       ? contract::Command::Checkpoint
                                                             : contract::Command::Sample;
    if (action == Action::Stop && m_stoppedBy.empty())
        m_stoppedBy = fired.sentence();
    try {
        contract::appendCommand(m_folder.control(), command);
    } catch (const std::system_error& error) {
        logWarning(error.what());
        unwritten.push_back(command);
    }
}

std::string SupervisorDuties::stopCause() const { return m_stoppedBy.empty() ? std::string() : "stopped by the rule " + m_stoppedBy; }

void SupervisorDuties::notifyEnd(std::string_view outcome, const std::string& cause, std::int64_t step)
{
    m_watch.stop();  // whatever comes after the end is no hang
    if (m_isDeputy)
        return;
    const bool mayGoOn = outcome == "failed" && m_experiment.text("launch.target") == "slurm" && m_experiment.integer("launch.restarts") > 0;
    const bool isNews = outcome != "stopped" || !m_stoppedBy.empty();  // a user who stops a run needs no notice
    // Where the window runs, there may be an address.
    if (mayGoOn || (isNews && contract::webAddressFor(m_folder).empty()) || !contract::takeUnreported(m_folder, m_attempt) || !isNews)
        return;
    send(notice(outcome, cause, step), [folder = m_folder, attempt = m_attempt] { contract::markUnreported(folder, attempt); });
}

contract::Notice SupervisorDuties::notice(std::string_view state, const std::string& cause, std::int64_t step) const
{
    return {.run = m_folder.id(), .name = m_experiment.text("run.name"), .state = std::string(state), .cause = cause, .step = step};
}

}  // namespace engine
