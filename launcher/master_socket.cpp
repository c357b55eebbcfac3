#include "launcher/ranks/master_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace launcher {

MasterSocket::~MasterSocket() { close(); }

std::string MasterSocket::open()
{
    constexpr int kBacklog = 2048;
    close();
    m_descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* general = reinterpret_cast<sockaddr*>(&address);
    const bool isListening = m_descriptor >= 0 && ::bind(m_descriptor, general, size) == 0
        && ::listen(m_descriptor, kBacklog) == 0 && ::getsockname(m_descriptor, general, &size) == 0;
    if (!isListening) {
        const int cause = errno;
        close();
        return "no port of 127.0.0.1 can be opened for the ranks: "
            + std::generic_category().message(cause);
    }
    m_port = ntohs(address.sin_port);
    return {};
}

void MasterSocket::close()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
    m_descriptor = -1;
}

}  // namespace launcher
