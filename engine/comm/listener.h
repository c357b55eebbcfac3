// Whether somebody listens on a port.
#pragma once
#include <chrono>
#include <string>

namespace engine {

/// Returns when a connection to @p address : @p port is accepted; it is closed at once.
/// @param address a host's name or an IP address @return false when nobody did within @p timeout
bool awaitListener(const std::string& address, int port, std::chrono::milliseconds timeout);

}  // namespace engine
