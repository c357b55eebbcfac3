// The port at which the ranks of an attempt meet.
#pragma once
#include <string>

namespace launcher {

/// Listens on a free port of 127.0.0.1 from the start, and rank 0 inherits it: there is no moment in which
/// somebody else could take the port.
class MasterSocket {
public:
    MasterSocket() = default;
    ~MasterSocket();
    MasterSocket(const MasterSocket&) = delete;
    MasterSocket& operator=(const MasterSocket&) = delete;

    /// @return empty, or why there is none, in one sentence.
    std::string open();
    void close();

    int descriptor() const { return m_descriptor; }  ///< -1 when closed; closed on exec
    int port() const { return m_port; }

private:
    int m_descriptor = -1;
    int m_port = 0;
};

}  // namespace launcher
