// A debug package: one file about a run that did not do what it should, for whoever is to find out why. It holds texts only: settings, the
// ends of journals and logs, a list of files, what the machine is. Weights, samples and data stay here, and secrets are removed.
#pragma once
#include "engine/contract/run/run_folder.h"
#include "launcher/base/data_home.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace launcher {

struct DebugFile {
    std::string name;  ///< in the package: "logs/rank-0.log"
    std::string text;  ///< after removal
    int secrets = 0;   ///< places where a secret was removed
    int names = 0;     ///< places where a name was replaced
};

/// Reads what a package about the run holds; about 256 kB of each file and 16 MB of all, the ranks with lower numbers first. Runs
/// `atelier doctor`, and takes up to 20 s for it. Callable on any thread. What cannot be read is said in the text.
/// @param version of the program
std::vector<DebugFile> debugFiles(const DataHome& home, const contract::RunFolder& run, const std::string& version);

/// Writes the files as a compressed tar archive (.tar.gz) with the folder "RUN-debug" in it; atomically.
/// @throws std::runtime_error in one sentence when it cannot be written
void writeDebugPackage(const std::filesystem::path& archive, const std::string& runId, const std::vector<DebugFile>& files);

}  // namespace launcher
