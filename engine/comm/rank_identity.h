// Which rank this process is, according to the environment variables of its launcher.
#pragma once
#include <string>

namespace engine {

struct RankIdentity {
    int rank = 0;
    int worldSize = 1;
    int localRank = 0;
    int localWorldSize = 1;
    std::string masterAddress = "127.0.0.1";
    int masterPort = 0;         ///< 0: the launcher names none, and the ranks agree on one through the run's folder
    int masterDescriptor = -1;  ///< rank 0 only: a listening socket inherited from the launcher; -1: none
    /// Not empty: torchrun itself listens at the master's port, for all its restarts; rank 0 must not. Distinguishes this restart.
    std::string hostedStore = {};
    /// Distinguishes this start of the ranks from others, and is equal in all of them; empty when the master's port is known.
    std::string launch = {};
};

/// Reads the variables of torchrun and of our launcher (RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT,
/// ATELIER_MASTER_FD); without RANK and WORLD_SIZE those of Open MPI (OMPI_COMM_WORLD_RANK …), of other MPI launchers (PMI_RANK …)
/// and of srun (SLURM_PROCID …), which may come with MASTER_ADDR and MASTER_PORT. Without any of them the process is the only rank.
/// @throws EngineError WrongUsage naming the variable that is missing or wrong, and its value.
RankIdentity rankFromEnvironment();

}  // namespace engine
