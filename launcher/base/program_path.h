// Where Atelier's own programs are.
#pragma once
#include <string>

namespace launcher {

/// Path of one of Atelier's programs, "atelier", "atelier-worker" or "atelier-poster": for the first two $ATELIER_PROGRAM or
/// $ATELIER_WORKER when set, else in the folder of the running program, or where it is installed. The file may not exist.
std::string programPath(const std::string& name);

}  // namespace launcher
