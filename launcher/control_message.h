// The protocol of a supervisor's control socket: one JSON line per request, {"v":1,"id":7,"cmd":"stop"}, and one per
// reply, {"id":7,"ok":true}.
#pragma once
#include "launcher/supervisor/control_client.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace launcher {

inline constexpr std::size_t kLongestControlLine = 4096;  ///< bytes

std::string_view commandName(ControlCommand command);  ///< the protocol's name, for example "stop_now"

std::string requestLine(ControlCommand command);  ///< ends with a newline

struct ControlRequest {
    std::int64_t id = 0;
    std::optional<ControlCommand> command;
    std::string error;  ///< why there is no command; empty when there is one
};

/// Never throws: for a malformed line, returns a request without a command and with `error` set.
ControlRequest parseRequest(std::string_view line);

/// Ends with a newline. An empty @p error means that the command was accepted.
std::string replyLine(std::int64_t id, const std::string& error);

/// Never throws: a malformed line gives a reply that is not accepted.
ControlReply parseReply(std::string_view line);

}  // namespace launcher
