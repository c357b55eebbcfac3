// Names for files that are renamed when they are complete.
#pragma once
#include <filesystem>

namespace contract {

/// Returns a path beside @p file that no other writer uses: its name, then ".tmp", the process and 16 random digits. The random
/// digits tell apart processes of the same number in two containers or on two hosts that share a disk.
std::filesystem::path temporaryName(const std::filesystem::path& file);

}  // namespace contract
