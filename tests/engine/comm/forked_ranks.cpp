#include "tests/engine/comm/forked_ranks.h"

#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace tests {
namespace {

/// A listening socket on a port of its own, which rank 0 inherits.
int listeningSocket(int& port)
{
    const int descriptor = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (::bind(descriptor, reinterpret_cast<sockaddr*>(&address), length) != 0 || ::listen(descriptor, 16) != 0
        || ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length) != 0)
        throw std::system_error(errno, std::generic_category(), "a port");
    port = ntohs(address.sin_port);
    return descriptor;
}

/// The thread sanitizer takes the parent's threads, of which Qt Test has one, for threads of the child as well, and a new
/// one on the stack of such a thread for an error. So here threads get larger stacks, which none of those fits.
void avoidFormerStacks()
{
#if defined(__SANITIZE_THREAD__)
    pthread_attr_t attributes;
    std::size_t bytes = 0;
    ::pthread_getattr_default_np(&attributes);
    ::pthread_attr_getstacksize(&attributes, &bytes);
    ::pthread_attr_setstacksize(&attributes, 2 * bytes);
    ::pthread_setattr_default_np(&attributes);
#endif
}

int runRank(const engine::RankIdentity& identity, const contract::MeshShape& shape, engine::Exchange exchange,
    const std::function<bool(engine::Mesh&)>& body, std::chrono::seconds timeout)
{
    avoidFormerStacks();
    try {
        const auto mesh = engine::joinRanks(identity, shape, nullptr, {exchange, timeout});
        return body(*mesh) ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "rank %d: %s\n", identity.rank, error.what());
        return 2;
    }
}

}  // namespace

std::vector<int> runRanks(const contract::MeshShape& shape, engine::Exchange exchange,
    const std::function<bool(engine::Mesh&)>& body, std::chrono::seconds timeout)
{
    int port = 0;
    const int listening = listeningSocket(port);
    std::vector<pid_t> processes;
    for (int rank = 0; rank < shape.world; ++rank) {
        const pid_t process = ::fork();
        if (process == 0)
            ::_exit(runRank({.rank = rank, .worldSize = shape.world, .localRank = rank, .localWorldSize = shape.world,
                                .masterPort = port, .masterDescriptor = rank == 0 ? listening : -1},
                shape, exchange, body, timeout));
        processes.push_back(process);
    }
    ::close(listening);
    std::vector<int> codes;
    for (const pid_t process : processes) {
        int status = 0;
        ::waitpid(process, &status, 0);
        codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    }
    return codes;
}

}  // namespace tests
