#include "app/cli/signal_pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace app {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
// A signal handler can reach nothing but globals.
std::array<int, 2> g_pipe = {-1, -1};
std::array<struct sigaction, kSignals.size()> g_former;

void onSignal(int number)
{
    const int keptErrno = errno;
    const auto byte = static_cast<char>(number);
    // A full pipe already holds more signals than anyone will read.
    [[maybe_unused]] const ssize_t written = ::write(g_pipe[1], &byte, 1);
    errno = keptErrno;
}

}  // namespace

SignalPipe::SignalPipe()
{
    if (::pipe2(g_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        throw std::system_error(errno, std::generic_category(), "pipe for signals");
    struct sigaction action {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        ::sigaction(kSignals.at(i), &action, &g_former.at(i));
        // nohup and shells without job control have switched some off on purpose.
        if (g_former.at(i).sa_handler == SIG_IGN)
            ::sigaction(kSignals.at(i), &g_former.at(i), nullptr);
    }
}

SignalPipe::~SignalPipe()
{
    for (std::size_t i = 0; i < kSignals.size(); ++i)
        ::sigaction(kSignals.at(i), &g_former.at(i), nullptr);
    ::close(g_pipe[0]);
    ::close(g_pipe[1]);
}

std::optional<int> SignalPipe::wait(std::chrono::milliseconds timeout)
{
    pollfd waited {.fd = g_pipe[0], .events = POLLIN, .revents = 0};
    char number = 0;
    if (::poll(&waited, 1, static_cast<int>(timeout.count())) <= 0 || ::read(g_pipe[0], &number, 1) != 1)
        return std::nullopt;
    return number;
}

}  // namespace app
