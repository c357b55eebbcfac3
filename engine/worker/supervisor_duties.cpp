#include "engine/worker/supervisor_duties.h"

#include "engine/contract/run/journal.h"
#include "engine/contract/run/notice.h"
#include "engine/worker/log.h"

#include <exception>
#include <system_error>
#include <utility>

namespace engine {

using Action = contract::ActingRule::Action;

SupervisorDuties::SupervisorDuties(const contract::RunFolder& folder, int attempt, const contract::Experiment& experiment)
    : m_folder(folder)
    , m_attempt(attempt)
    , m_experiment(experiment)
    , m_watches(contract::parseActingRules(experiment.text("run.rules")).rules)
{
    contract::markUntold(folder, attempt);
}

void SupervisorDuties::take(std::int64_t step, std::string_view metric, double value) { m_watches.take(step, metric, value, m_fired); }

std::vector<contract::Command> SupervisorDuties::act()
{
    std::vector<contract::Command> unwritten;
    for (const contract::FiredRule& fired : std::exchange(m_fired, {})) {
        logWarning("the rule " + fired.sentence() + " has fired");
        journal(fired);
        for (const Action action : fired.rule.actions)
            carryOut(fired, action, unwritten);
    }
    return unwritten;
}

/// As the supervisor does. A record that cannot be written is lost, and the rule acts all the same.
void SupervisorDuties::journal(const contract::FiredRule& fired)
{
    try {
        if (!m_journal)
            m_journal.emplace(m_folder.journal(contract::kSupervisorRank),
                contract::JournalHeader {contract::kJournalVersion, m_folder.id(), m_attempt, contract::kSupervisorRank, {}, 0});
        m_journal->begin(contract::record::kEvent, fired.step)
            .add("level", std::string_view("warning"))
            .add("kind", std::string_view(contract::kRuleEvent))
            .add("message", fired.sentence())
            .commit();
    } catch (const std::system_error& error) {
        logWarning(std::string("the rule is not recorded: ") + error.what());
    }
}

void SupervisorDuties::carryOut(const contract::FiredRule& fired, Action action, std::vector<contract::Command>& unwritten)
{
    if (action == Action::Notify) {
        if (const std::string address = contract::webAddressFor(m_folder); !address.empty())
            m_sender.send(address, notice("rule", fired.sentence(), fired.step));
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

void SupervisorDuties::tellEnd(std::string_view outcome, const std::string& cause, std::int64_t step)
{
    const bool mayGoOn = outcome == "failed" && m_experiment.text("launch.target") == "slurm" && m_experiment.integer("launch.restarts") > 0;
    const bool isNews = outcome != "stopped" || !m_stoppedBy.empty();  // whoever has stopped it knows
    const std::string address = contract::webAddressFor(m_folder);
    // Where the window runs, there may be one.
    if (mayGoOn || (isNews && address.empty()) || !contract::takeUntold(m_folder, m_attempt) || !isNews)
        return;
    m_sender.send(address, notice(outcome, cause, step), [folder = m_folder, attempt = m_attempt] { contract::markUntold(folder, attempt); });
}

contract::Notice SupervisorDuties::notice(std::string_view state, const std::string& cause, std::int64_t step) const
{
    return {.run = m_folder.id(), .name = m_experiment.text("run.name"), .state = std::string(state), .cause = cause, .step = step};
}

}  // namespace engine
