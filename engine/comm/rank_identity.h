// Which rank this process is, as the environment variables of torchrun tell.
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
    int masterDescriptor = -1;  ///< rank 0 only: a listening socket inherited from the launcher; -1: none
};

/// Reads RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT and ATELIER_MASTER_FD.
/// Without RANK and WORLD_SIZE the process is the only rank.
/// @throws EngineError WrongUsage naming the variable that is missing or wrong, and its value.
RankIdentity rankFromEnvironment();

}  // namespace engine
