// What the machine is on which a run has failed, as text.
#pragma once
#include "launcher/base/data_home.h"

#include <string>

namespace launcher {

/// One fact a line: the system, processors, memory, the disk of the runs, GPUs with their driver, the desktop. Asks the GPU driver, which
/// may take seconds.
std::string machineFacts(const DataHome& home);

/// What `atelier doctor` says; a sentence instead when it cannot be run or takes longer than 20 s.
std::string doctorText();

}  // namespace launcher
