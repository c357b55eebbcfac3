// How a supervisor tells the program that started it whether it runs.
#pragma once
#include <string>

namespace launcher {

/// Environment variable with the number of an inherited pipe's writing end.
inline constexpr char kReadyDescriptor[] = "ATELIER_READY_FD";

/// Says "ready", or @p problem when it is not empty, and closes the pipe. Nothing when nobody waits.
void tellStarter(const std::string& problem);

}  // namespace launcher
