#include "engine/comm/listener.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <thread>

namespace engine {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kShortestPause {2}, kLongestPause {50}, kLongestAttempt {1000};

bool acceptsConnection(const addrinfo& candidate)
{
    const int socket
        = ::socket(candidate.ai_family, candidate.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, candidate.ai_protocol);
    if (socket < 0)
        return false;
    int error = ::connect(socket, candidate.ai_addr, candidate.ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
        pollfd connected {socket, POLLOUT, 0};
        socklen_t length = sizeof error;
        if (::poll(&connected, 1, static_cast<int>(kLongestAttempt.count())) == 1)
            ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length);
    }
    ::close(socket);
    return error == 0;
}

/// Resolves @p address on every call: a cluster may publish its host names only while its jobs start.
bool isListening(const std::string& address, const std::string& port)
{
    addrinfo hints {};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* first = nullptr;
    if (::getaddrinfo(address.c_str(), port.c_str(), &hints, &first) != 0)
        return false;
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> candidates(first, ::freeaddrinfo);
    for (const addrinfo* candidate = first; candidate; candidate = candidate->ai_next) {
        if (acceptsConnection(*candidate))
            return true;
    }
    return false;
}

}  // namespace

bool awaitListener(const std::string& address, int port, milliseconds timeout)
{
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    for (milliseconds pause = kShortestPause;; pause = std::min(2 * pause, kLongestPause)) {
        if (isListening(address, std::to_string(port)))
            return true;
        if (std::chrono::steady_clock::now() + pause > deadline)
            return false;
        std::this_thread::sleep_for(pause);
    }
}

}  // namespace engine
