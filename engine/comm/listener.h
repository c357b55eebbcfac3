// Waits until a process listens on a TCP port.
#pragma once
#include <chrono>
#include <string>

namespace engine {

/// Blocks until a connection to @p address : @p port is accepted, and closes that connection at once.
/// @param address a host name or an IP address @return false when none was accepted within @p timeout
bool awaitListener(const std::string& address, int port, std::chrono::milliseconds timeout);

}  // namespace engine
