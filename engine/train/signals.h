// Signals as requests: noticed between steps, agreed by all ranks.
#pragma once

namespace engine {

/// Bits may be combined; every rank's are joined in the reduction of each step.
struct Requests {
    bool stop = false;        ///< SIGTERM or the command: checkpoint and leave
    bool stopNow = false;     ///< SIGINT: leave without
    bool checkpoint = false;  ///< SIGUSR1 or the command
    bool sample = false;      ///< the command
};

/// From now on SIGTERM, SIGINT and SIGUSR1 only set flags.
void installSignalHandlers();

/// What signals asked for since the last call.
Requests takeSignalRequests();

}  // namespace engine
