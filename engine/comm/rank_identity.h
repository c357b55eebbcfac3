// Who this process is among the ranks: torchrun's environment.
#pragma once
#include <string>

namespace engine {

struct RankIdentity {
    int rank = 0;
    int worldSize = 1;
    int localRank = 0;
    int localWorldSize = 1;
    std::string masterAddress = "127.0.0.1";
    int masterPort = 0;
    int masterDescriptor = -1;  ///< rank 0 only: a listening socket handed over by the launcher
};

/// From RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT and ATELIER_MASTER_FD.
/// Without RANK and WORLD_SIZE: a single rank.
/// @throws EngineError WrongUsage naming the variable and its value.
RankIdentity rankFromEnvironment();

}  // namespace engine
