#include "tests/launcher/fakes/fake_peers.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>

namespace fakes {
namespace {

int fromEnvironment(const char* name, int otherwise)
{
    const char* value = std::getenv(name);
    return value ? std::atoi(value) : otherwise;
}

std::optional<char> receive(int socket)
{
    char byte = 0;
    ssize_t count = 0;
    do
        count = ::recv(socket, &byte, 1, 0);
    while (count < 0 && errno == EINTR);
    return count == 1 ? std::optional(byte) : std::nullopt;
}

bool send(int socket, char byte) { return ::send(socket, &byte, 1, MSG_NOSIGNAL) == 1; }

}  // namespace

bool FakePeers::join()
{
    m_rank = fromEnvironment("RANK", 0);
    m_worldSize = fromEnvironment("WORLD_SIZE", 1);
    return m_rank == 0 ? acceptAll() : connectToZero();
}

bool FakePeers::acceptAll()
{
    const int listening = fromEnvironment("ATELIER_MASTER_FD", -1);
    while (static_cast<int>(m_sockets.size()) < m_worldSize - 1) {
        const int socket = ::accept(listening, nullptr, nullptr);
        if (socket < 0 && errno != EINTR)
            return false;
        if (socket >= 0)
            m_sockets.push_back(socket);
    }
    return ::close(listening) == 0;
}

bool FakePeers::connectToZero()
{
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(fromEnvironment("MASTER_PORT", 0)));
    ::inet_pton(AF_INET, std::getenv("MASTER_ADDR"), &address.sin_addr);
    m_sockets.push_back(socket);
    return ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

std::optional<char> FakePeers::agree(char wish)
{
    if (m_rank != 0) {
        if (!send(m_sockets.front(), wish))
            return std::nullopt;
        return receive(m_sockets.front());
    }
    for (const int socket : m_sockets) {
        const auto other = receive(socket);
        if (!other)
            return std::nullopt;
        wish = std::max(wish, *other);
    }
    const bool isTold = std::ranges::all_of(m_sockets, [wish](int socket) { return send(socket, wish); });
    return isTold ? std::optional(wish) : std::nullopt;
}

}  // namespace fakes
