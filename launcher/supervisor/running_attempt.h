// The ranks of one attempt while they run, and what watches them.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/run/control.h"
#include "engine/contract/run/run_folder.h"
#include "launcher/base/folder_watch.h"
#include "launcher/machine/host_journal.h"
#include "launcher/state/journal_end.h"
#include "launcher/supervisor/rank_group.h"
#include "launcher/supervisor/rule_runner.h"
#include "launcher/supervisor/stall_watch.h"

#include <QObject>
#include <QTimer>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace launcher {

class SupervisorJournal;
class SupervisorLog;

/// Journals the ranks' exits, stalls and what the machine does. As soon as a rank has failed, or rank 0 has exited, the others get
/// some time to exit before they are killed. Must be created on the main thread (RankGroup).
class RunningAttempt : public QObject {
    Q_OBJECT
public:
    /// @param journal,log of the supervisor; must outlive this object
    RunningAttempt(const contract::RunFolder& folder, RankPlan plan, const contract::Experiment& experiment, SupervisorJournal& journal,
        SupervisorLog& log);

    /// @return empty, or why the ranks could not be started, in one sentence.
    std::string start();

    void stopNow();  ///< interrupts the ranks (SIGINT) and kills those that have not exited after 10 s
    void kill();     ///< SIGKILL to every rank
    /// Appends the command to the control file. When that fails, for example because the disk is full, sends it as a signal to rank 0 if
    /// there is one for it, so that the run can still be stopped. @return empty, or why it was not sent, in one sentence.
    std::string forward(contract::Command command);

    int number() const { return m_plan.attempt; }
    int alive() const { return m_ranks.alive(); }
    const std::vector<RankExit>& exits() const { return m_ranks.exits(); }
    JournalEnd rankZero() const;
    std::int64_t lastStep() const;  ///< the highest that any exited rank has journalled

Q_SIGNALS:
    /// A journal, sample or checkpoint has changed on disk. At most every 100 ms.
    void recordsWritten();
    /// @param silence one sentence; it is in the supervisor's journal
    void stalled(const std::string& silence);
    /// A rule of the experiment has fired; it is in the supervisor's journal.
    void ruleFired(const contract::FiredRule& fired);
    /// Every rank has exited.
    void ended();

private:
    void onHeartbeat();
    void sampleHost();
    void pollRules();
    void onRankExit(const RankExit& exit);
    void killAfter(std::chrono::milliseconds time);

    contract::RunFolder m_folder;
    RankPlan m_plan;
    SupervisorJournal& m_journal;
    SupervisorLog& m_log;
    std::int64_t m_journalOffset;  ///< size of rank 0's journal before the ranks were started
    StallWatch m_stall;
    FolderWatch m_watch;
    RuleRunner m_rules;
    HostJournal m_host;
    RankGroup m_ranks;
    int m_heartbeats = 0;
    bool m_isDiskLow = false;  ///< and the journal says so
    QTimer m_deadline;
    QTimer m_heartbeat;
};

}  // namespace launcher
