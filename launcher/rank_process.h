// How a rank's process is started.
#pragma once
#include <QProcess>

namespace launcher {

class MasterSocket;

/// Which of the ranks of one job on this host.
struct RankPlace {
    int rank = 0;
    int ranks = 1;
    int threads = 0;  ///< CPU threads of each; 0 divides the cores
};

/// Sets what is to be set before @p process starts: torchrun's environment, no blocked signals, and that the kernel kills it when
/// the thread that starts it ends. Rank 0 inherits @p master, which must be open until it has started.
void prepareRank(QProcess& process, const RankPlace& place, const MasterSocket& master);

}  // namespace launcher
