// The rank processes of one attempt.
#pragma once
#include "engine/contract/run/run_folder.h"
#include "engine/contract/variables/variable_list.h"
#include "launcher/machine/oom_watch.h"
#include "launcher/ranks/master_socket.h"
#include "launcher/ranks/rank_exit.h"

#include <QObject>
#include <QProcess>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace launcher {

struct RankPlan {
    std::string worker;  ///< path of the worker program
    int attempt = 1;
    int ranks = 1;
    int threads = 0;  ///< CPU threads of each rank; 0 divides the cores among the ranks
    std::string visibleGpus = {};  ///< CUDA_VISIBLE_DEVICES of the ranks; empty: that of this process
    contract::Variables variables = {};  ///< further ones of the ranks
};

/// Starts the ranks, watches them and can signal them. Must be created on the main thread, because the kernel kills a rank
/// when the thread that started it ends. The destructor kills the ranks that are still alive.
class RankGroup : public QObject {
    Q_OBJECT
public:
    RankGroup(const contract::RunFolder& folder, const RankPlan& plan, QObject* parent = nullptr);
    ~RankGroup() override;

    /// @return empty, or why the ranks could not be started, in one sentence; no rank is left running then.
    std::string start();

    /// Sends signal @p number to @p rank; no-op when the rank has exited.
    void signalRank(int rank, int number);
    /// Sends SIGINT to all ranks: they exit within the current step. Later exits are marked endedBySupervisor.
    void interruptAll();
    /// Sends SIGKILL to all ranks. Later exits are marked endedBySupervisor.
    void killAll();

    /// Process ids of the ranks that are running.
    std::vector<std::int64_t> processes() const;

    int alive() const { return m_alive; }                           ///< number of ranks that are running
    const std::vector<RankExit>& exits() const { return m_exits; }  ///< in the order in which they were noticed

    /// Out-of-memory kills before this call are not attributed to ranks that exit later.
    void markMemory() { m_oom.mark(); }

Q_SIGNALS:
    void rankExited(const launcher::RankExit& exit);

private:
    struct Rank {
        std::unique_ptr<QProcess> process;
        std::int64_t logOffset = 0;      ///< size of the log before the rank was started
        std::int64_t journalOffset = 0;  ///< size of the journal before the rank was started
        bool isAlive = false;
    };

    std::string startRank(int rank);
    void killRemaining();
    void signalAll(int number);
    void onFinished(int rank, int code, QProcess::ExitStatus status);

    contract::RunFolder m_folder;
    RankPlan m_plan;
    MasterSocket m_master;
    OomWatch m_oom;
    std::vector<Rank> m_ranks;
    std::vector<RankExit> m_exits;
    int m_alive = 0;
    bool m_areExitsRequested = false;
};

}  // namespace launcher
