// The processes of one attempt.
#pragma once
#include "engine/contract/run_folder.h"
#include "launcher/master_socket.h"
#include "launcher/oom_watch.h"
#include "launcher/rank_exit.h"

#include <QObject>
#include <QProcess>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace launcher {

struct RankPlan {
    std::string worker;  ///< program
    int attempt = 1;
    int ranks = 1;
    int threads = 0;  ///< CPU threads of each; 0 divides the cores
};

/// Lives on the main thread: the kernel kills a rank when the *thread* that spawned it ends.
class RankGroup : public QObject {
    Q_OBJECT
public:
    RankGroup(const contract::RunFolder& folder, const RankPlan& plan, QObject* parent = nullptr);
    ~RankGroup() override;

    /// @return empty, or why the ranks could not be started, in one sentence; none is then left.
    std::string start();

    void signalRank(int rank, int number);
    /// Their exits from here on are marked as ours.
    void interruptAll();  ///< leave at the step's end
    void killAll();

    int alive() const { return m_alive; }
    const std::vector<RankExit>& exits() const { return m_exits; }  ///< in the order they were noticed

    void markMemory() { m_oom.mark(); }

Q_SIGNALS:
    void rankExited(const launcher::RankExit& exit);

private:
    struct Rank {
        std::unique_ptr<QProcess> process;
        std::int64_t logOffset = 0;
        std::int64_t journalOffset = 0;  ///< where this attempt's part begins, however long it grows
        bool isAlive = false;
    };

    std::string startRank(int rank);
    void killLeft();
    void signalAll(int number);
    void onFinished(int rank, int code, QProcess::ExitStatus status);

    contract::RunFolder m_folder;
    RankPlan m_plan;
    MasterSocket m_master;
    OomWatch m_oom;
    std::vector<Rank> m_ranks;
    std::vector<RankExit> m_exits;
    int m_alive = 0;
    bool m_areExitsOurs = false;
};

}  // namespace launcher
