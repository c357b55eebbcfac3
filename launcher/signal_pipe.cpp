#include "launcher/base/signal_pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <map>
#include <system_error>

namespace launcher {
namespace {

// A signal handler can reach nothing but globals.
std::array<int, 2> g_pipe = {-1, -1};
std::map<int, struct sigaction> g_former;

void collect(int number)
{
    const int keptErrno = errno;
    const auto byte = static_cast<char>(number);
    // When the pipe is full, the signal is dropped: thousands of others are queued already.
    [[maybe_unused]] const ssize_t written = ::write(g_pipe[1], &byte, 1);
    errno = keptErrno;
}

}  // namespace

SignalPipe::SignalPipe(std::initializer_list<int> numbers)
{
    if (::pipe2(g_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        throw std::system_error(errno, std::generic_category(), "pipe for signals");
    struct sigaction action {};
    action.sa_handler = collect;
    action.sa_flags = SA_RESTART;
    for (const int number : numbers) {
        struct sigaction& former = g_former[number];
        ::sigaction(number, nullptr, &former);
        if (former.sa_handler == SIG_IGN)
            continue;
        ::sigaction(number, &action, nullptr);
        m_taken.push_back(number);
    }
}

SignalPipe::~SignalPipe()
{
    for (const int number : m_taken) {
        struct sigaction present {};
        ::sigaction(number, nullptr, &present);
        if (present.sa_handler == collect)
            ::sigaction(number, &g_former[number], nullptr);
    }
    ::close(g_pipe[0]);
    ::close(g_pipe[1]);
    g_pipe = {-1, -1};
}

int SignalPipe::descriptor() const
{
    return g_pipe[0];
}

std::optional<int> SignalPipe::wait(std::chrono::milliseconds timeout)
{
    pollfd waited {.fd = g_pipe[0], .events = POLLIN, .revents = 0};
    char number = 0;
    if (::poll(&waited, 1, static_cast<int>(timeout.count())) <= 0 || ::read(g_pipe[0], &number, 1) != 1)
        return std::nullopt;
    return number;
}

}  // namespace launcher
