// Prepares the process of one rank.
#pragma once
#include "engine/contract/variables/variable_list.h"

#include <QProcess>

#include <string>

namespace launcher {

class MasterSocket;

/// One rank among those of a job on this host.
struct RankPlace {
    int rank = 0;
    int ranks = 1;
    int threads = 0;  ///< CPU threads of each rank; 0 divides the cores among the ranks
    std::string visibleGpus = {};  ///< CUDA_VISIBLE_DEVICES; empty: that of this process
    contract::Variables variables = {};  ///< further ones
};

/// Configures @p process before it is started: torchrun's environment variables, no blocked signals, and SIGKILL when the
/// thread that starts it ends. Rank 0 inherits @p master, which must stay open until the process has started.
void prepareRank(QProcess& process, const RankPlace& place, const MasterSocket& master);

}  // namespace launcher
