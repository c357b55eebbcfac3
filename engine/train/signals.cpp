#include "engine/train/signals.h"

#include <csignal>

#include <atomic>

namespace engine {
namespace {

std::atomic<bool> stopRequested {false};
std::atomic<bool> stopNowRequested {false};
std::atomic<bool> checkpointRequested {false};

void remember(int signal)
{
    if (signal == SIGTERM)
        stopRequested = true;
    else if (signal == SIGINT)
        stopNowRequested = true;
    else
        checkpointRequested = true;
}

}  // namespace

void installSignalHandlers()
{
    struct sigaction action {};
    action.sa_handler = remember;
    action.sa_flags = SA_RESTART;
    for (const int signal : {SIGTERM, SIGINT, SIGUSR1})
        ::sigaction(signal, &action, nullptr);
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, nullptr);  // a peer's closed socket is an error of that call
}

Requests takeSignalRequests()
{
    return {stopRequested.exchange(false), stopNowRequested.exchange(false),
        checkpointRequested.exchange(false), false};
}

}  // namespace engine
