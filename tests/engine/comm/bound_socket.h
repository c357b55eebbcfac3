// A TCP port of this host that only one test uses.
#pragma once
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace tests {

/// Bound, but not listening yet.
class BoundSocket {
public:
    BoundSocket()
        : m_descriptor(::socket(AF_INET, SOCK_STREAM, 0))
    {
        m_address.sin_family = AF_INET;
        m_address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof m_address;
        auto* const address = reinterpret_cast<sockaddr*>(&m_address);
        if (::bind(m_descriptor, address, length) != 0 || ::getsockname(m_descriptor, address, &length) != 0)
            throw std::system_error(errno, std::generic_category(), "a port");
    }
    ~BoundSocket() { ::close(m_descriptor); }
    BoundSocket(const BoundSocket&) = delete;
    BoundSocket& operator=(const BoundSocket&) = delete;
    int descriptor() const { return m_descriptor; }
    int port() const { return ntohs(m_address.sin_port); }

private:
    int m_descriptor;
    sockaddr_in m_address {};
};

}  // namespace tests
