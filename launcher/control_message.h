// The lines that go over a supervisor's socket: {"v":1,"id":7,"cmd":"stop"} and {"id":7,"ok":true}.
#pragma once
#include "launcher/control_client.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace launcher {

inline constexpr std::size_t kLongestControlLine = 4096;

std::string_view commandName(ControlCommand command);  ///< "stop_now", as on the wire

std::string requestLine(ControlCommand command);  ///< with its newline

struct ControlRequest {
    std::int64_t id = 0;
    std::optional<ControlCommand> command;
    std::string error;  ///< when there is no command
};

/// Never throws: what is no request is one with an error.
ControlRequest parseRequest(std::string_view line);

std::string replyLine(std::int64_t id, const std::string& error);  ///< accepted when @p error is empty

ControlReply parseReply(std::string_view line);

}  // namespace launcher
