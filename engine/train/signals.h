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

/// [Note: signals]
/// No handler of ours runs at any time: the signals are blocked, and read between steps. With handlers, a signal during one of
/// oneDNN's generated float32 products corrupted the heap beside its workspace, presumably since that code lets the stack
/// pointer, where a handler's frame is written, point there.
/// Call it before there are threads, which inherit it. SIGPIPE is ignored: a peer's closed socket is an error of that call.
void holdSignals();

/// What has come since the last call.
Requests takeSignalRequests();

}  // namespace engine
