#include "tests/engine/comm/forked_ranks.h"

#include "tests/engine/comm/bound_socket.h"
#include "tests/engine/test_device.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <system_error>

namespace tests {
namespace {

/// The thread sanitizer believes that the parent's threads (Qt Test has one) also exist in the child, and reports a new
/// thread that gets the stack of such a thread. Threads of the child therefore get larger stacks, so that none is reused.
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

int runRank(const engine::RankIdentity& identity, const std::function<bool(const engine::RankIdentity&)>& body)
{
    avoidFormerStacks();
    std::signal(SIGPIPE, SIG_IGN);  // as the worker does: Gloo writes to the sockets of ranks that have died
    try {
        return body(identity) ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "rank %d: %s\n", identity.rank, error.what());
        return 2;
    }
}

}  // namespace

std::vector<int> runRanks(const contract::MeshShape& shape, engine::Exchange exchange,
    const std::function<bool(engine::Mesh&)>& body, std::chrono::seconds timeout)
{
    return runProcesses(shape.world, [&](const engine::RankIdentity& identity) {
        engine::Accelerator* const gpu = accelerator();  // one for all
        const auto mesh = engine::joinRanks(identity, shape, gpu, {gpu ? engine::Exchange::Gloo : exchange, timeout});
        return body(*mesh);
    });
}

std::vector<int> runProcesses(int world, const std::function<bool(const engine::RankIdentity&)>& body)
{
    auto master = std::make_unique<BoundSocket>();  // rank 0 inherits it
    if (::listen(master->descriptor(), 16) != 0)
        throw std::system_error(errno, std::generic_category(), "a port");
    std::vector<pid_t> processes;
    for (int rank = 0; rank < world; ++rank) {
        const pid_t process = ::fork();
        if (process == 0)
            ::_exit(runRank({.rank = rank, .worldSize = world, .localRank = rank, .localWorldSize = world,
                                .masterPort = master->port(), .masterDescriptor = rank == 0 ? master->descriptor() : -1},
                body));
        processes.push_back(process);
    }
    master.reset();  // so that no process listens once rank 0 has ended
    std::vector<int> codes;
    for (const pid_t process : processes) {
        int status = 0;
        ::waitpid(process, &status, 0);
        codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    }
    return codes;
}

bool require(bool holds, const char* what)
{
    if (!holds)
        std::fprintf(stderr, "not so: %s\n", what);
    return holds;
}

}  // namespace tests
