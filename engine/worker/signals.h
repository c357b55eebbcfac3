// Turns signals into requests, which are read between steps and combined over all ranks.
#pragma once
#include "engine/train/requests.h"

namespace engine {

/// [Note: signals]
/// Atelier installs no signal handlers: SIGTERM, SIGINT and SIGUSR1 are blocked and read between steps. With handlers, a signal
/// during one of oneDNN's JIT-generated float32 GEMMs corrupted the heap next to its workspace, presumably because that code
/// points the stack pointer there, and the kernel writes a handler's frame at the stack pointer.
///
/// Blocks these signals. Call it before any thread is created, because threads inherit the mask.
void blockSignals();

/// Ignores SIGPIPE, so that writing to a socket that a peer has closed fails with an error: a rank ends in a sentence then.
void ignoreClosedPipes();

/// Returns the requests of all signals that have arrived since the last call.
Requests takeSignalRequests();

}  // namespace engine
