#include "launcher/signal_pipe.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace launcher {
namespace {

constexpr std::array kSignals = {SIGTERM, SIGINT, SIGUSR1};
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

SignalPipe::SignalPipe(std::function<void(int)> handler)
    : m_onSignal(std::move(handler))
{
    if (::pipe2(g_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        throw std::system_error(errno, std::generic_category(), "pipe for signals");
    m_notifier = std::make_unique<QSocketNotifier>(g_pipe[0], QSocketNotifier::Read);
    QObject::connect(m_notifier.get(), &QSocketNotifier::activated, m_notifier.get(), [this] {
        char number = 0;
        while (::read(g_pipe[0], &number, 1) == 1)
            m_onSignal(number);
    });
    struct sigaction action {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < kSignals.size(); ++i)
        ::sigaction(kSignals.at(i), &action, &g_former.at(i));
}

SignalPipe::~SignalPipe()
{
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        struct sigaction present {};
        ::sigaction(kSignals.at(i), nullptr, &present);
        if (present.sa_handler == onSignal)
            ::sigaction(kSignals.at(i), &g_former.at(i), nullptr);
    }
    m_notifier.reset();
    ::close(g_pipe[0]);
    ::close(g_pipe[1]);
    g_pipe = {-1, -1};
}

}  // namespace launcher
