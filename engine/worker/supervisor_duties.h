// What rank 0 does in a run without a supervisor, in its place ([Note: ranks without a supervisor]): it follows the rules of the experiment, notices
// that the ranks hang and tells the user's web address ([Note: notices] in engine/contract/run/notice.h). Rank 1 and the last rank, which is on
// another host when there are several, are its deputies: each says that the ranks hang when those before it do not, since all of their processes
// stand still. There are no more of them, because each looks at the journals of all ranks.
#pragma once
#include "engine/contract/experiment/acting_rules.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/run/control.h"
#include "engine/contract/run/journal_writer.h"
#include "engine/contract/run/run_folder.h"
#include "engine/worker/notice_sender.h"
#include "engine/worker/progress_watch.h"

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

class SupervisorDuties {
public:
    /// Whether @p rank only notices that the ranks hang and nobody has said so.
    static bool isDeputy(int rank, int ranks) { return rank > 0 && (rank == 1 || rank == ranks - 1); }

    /// For an attempt whose ranks have just been started. @param rank 0 or a deputy @param experiment must outlive this
    SupervisorDuties(const contract::RunFolder& folder, int attempt, int rank, int ranks, const contract::Experiment& experiment);

    /// Takes a value that the rank records.
    void take(std::int64_t step, std::string_view metric, double value);

    /// Carries out the rules that have fired since the last call: writes events to the supervisor's journal and commands to the control file.
    /// @return the commands that could not be written there, because the disk is full for example
    std::vector<contract::Command> act();

    /// Returns "stopped by the rule …" for a run that a rule stopped; otherwise empty.
    std::string stopCause() const;

    /// Sends the notice of the attempt's end, after its end record is written. Sends none of a failure where Slurm may restart the ranks.
    void notifyEnd(std::string_view outcome, const std::string& cause, std::int64_t step);
    void wait() { m_sender.wait(); }  ///< for the answers of the web address; at most ten seconds

private:
    void onStall(std::int64_t step, const std::string& sentence);
    void onRecovery();
    bool isHangReported() const;
    void journal(const char* level, std::string_view kind, std::int64_t step, const std::string& message);
    void send(const contract::Notice& notice, std::function<void()> onRefusal = {});
    void carryOut(const contract::FiredRule& fired, contract::ActingRule::Action action, std::vector<contract::Command>& unwritten);
    contract::Notice notice(std::string_view state, const std::string& cause, std::int64_t step) const;

    contract::RunFolder m_folder;
    int m_attempt;
    const contract::Experiment& m_experiment;
    bool m_isDeputy;
    bool m_hasReported = false;                             ///< that the ranks hang; of the watch's thread
    contract::RuleWatches m_watches;
    std::vector<contract::FiredRule> m_fired;           ///< to be acted on
    std::string m_stoppedBy;
    std::mutex m_mutex;                                 ///< of the journal and the sender, which the watch's thread uses, too
    std::optional<contract::JournalWriter> m_journal;   ///< the supervisor's; opened when there is something to record
    NoticeSender m_sender;
    ProgressWatch m_watch;  ///< last, because its thread uses the others
};

}  // namespace engine
