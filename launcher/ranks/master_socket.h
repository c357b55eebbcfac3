// The port at which the ranks of an attempt rendezvous (MASTER_PORT).
#pragma once
#include <string>

namespace launcher {

/// Listens on a free port of 127.0.0.1 before the ranks start; rank 0 inherits the listening socket. So no other process
/// can take the port between its choice and its use.
class MasterSocket {
public:
    MasterSocket() = default;
    ~MasterSocket();
    MasterSocket(const MasterSocket&) = delete;
    MasterSocket& operator=(const MasterSocket&) = delete;

    /// @return empty, or why no port could be opened, in one sentence.
    std::string open();
    void close();

    int descriptor() const { return m_descriptor; }  ///< close-on-exec; -1 when closed
    int port() const { return m_port; }

private:
    int m_descriptor = -1;
    int m_port = 0;
};

}  // namespace launcher
