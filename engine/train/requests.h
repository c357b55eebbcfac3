// Requests that a rank received between two steps, by a signal or a command.
#pragma once

namespace engine {

/// Any combination may be set. Each step's reduction combines the requests of all ranks.
struct Requests {
    bool stop = false;        ///< SIGTERM or the stop command: write a checkpoint and exit
    bool stopNow = false;     ///< SIGINT: exit without a checkpoint
    bool checkpoint = false;  ///< SIGUSR1 or the checkpoint command
    bool sample = false;      ///< the sample command
};

}  // namespace engine
