// Reports to the program that started a supervisor whether the supervisor runs.
#pragma once
#include <string>

namespace launcher {

/// Environment variable that holds the descriptor of the inherited pipe's write end.
inline constexpr char kReadyDescriptor[] = "ATELIER_READY_FD";

/// Writes "ready", or @p problem when it is not empty, to the pipe and closes it. No-op without such a pipe.
void reportToStarter(const std::string& problem);

}  // namespace launcher
