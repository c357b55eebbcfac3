#include "engine/worker/signals.h"

#include <pthread.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <initializer_list>

namespace engine {
namespace {

sigset_t requestSignals()
{
    sigset_t signals;
    ::sigemptyset(&signals);
    for (const int signal : {SIGTERM, SIGINT, SIGUSR1})
        ::sigaddset(&signals, signal);
    return signals;
}

}  // namespace

void blockSignals()
{
    const sigset_t signals = requestSignals();
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void ignoreClosedPipes() { std::signal(SIGPIPE, SIG_IGN); }

Requests takeSignalRequests()
{
    const sigset_t signals = requestSignals();
    constexpr std::timespec kNow {};
    Requests requests;
    for (;;) {
        const int signal = ::sigtimedwait(&signals, nullptr, &kNow);
        if (signal < 0 && errno == EINTR)
            continue;
        if (signal < 0)
            return requests;
        requests.stop |= signal == SIGTERM;
        requests.stopNow |= signal == SIGINT;
        requests.checkpoint |= signal == SIGUSR1;
    }
}

}  // namespace engine
