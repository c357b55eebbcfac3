// The start of ranks that no supervisor has started: by torchrun, mpirun, srun, or by hand.
//
// [Note: ranks without a supervisor]
// Rank 0 takes the supervisor's place: it holds the run's lock as long as it runs (supervisor_lock.h) and determines the attempt,
// which is the prepared one when it has not been started, else a new one from the latest checkpoint. The other ranks learn its
// number through the rendezvous, so none acts on what an earlier start has left in the run's folder. Where the launcher names no
// port for the rendezvous (mpirun, srun), rank 0 listens at a free one and writes it to the file rendezvous.json in the run's folder,
// with what distinguishes this start of the ranks; the others read the file until it is of their own start. While it trains, rank 0 follows the
// experiment's rules, notices that the ranks hang and tells the user's web address (supervisor_duties.h). These events go to the supervisor's journal,
// which belongs to the process that holds the run's lock.
#pragma once
#include "engine/comm/rank_identity.h"
#include "engine/comm/rendezvous.h"
#include "engine/contract/run/run_folder.h"
#include "engine/contract/run/start_lock.h"
#include "engine/contract/run/supervisor_lock.h"

#include <optional>

namespace engine {

class UnsupervisedStart {
public:
    /// Rank 0 takes the run's lock and writes the attempt. Other ranks wait for rank 0's file where they need it, at most
    /// launch.timeout. Sets the master's address and port in @p identity.
    /// @throws EngineError or std::runtime_error when the run is active already or cannot be continued, or rank 0 does not come.
    UnsupervisedStart(const contract::RunFolder& folder, RankIdentity& identity);

    /// The attempt; only rank 0 knows it before agree().
    int attempt() const { return m_attempt; }

    /// Tells all ranks the attempt. Collective. @throws EngineError LostPeer when not all ranks call it within the timeout.
    void agree(Rendezvous& rendezvous);

private:
    void lead(const RankIdentity& identity);

    contract::RunFolder m_folder;
    contract::StartLock m_startLock;
    contract::SupervisorLock m_lock;
    int m_attempt = 0;
};

}  // namespace engine
