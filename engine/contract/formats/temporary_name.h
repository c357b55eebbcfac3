// Names for files that are renamed when they are complete.
#pragma once
#include <filesystem>

namespace contract {

/// Returns a path beside @p file that no other writer uses: its name, then ".tmp", the process and 16 random digits. The random
/// digits tell apart processes of the same number in two containers or on two hosts that share a disk.
std::filesystem::path temporaryName(const std::filesystem::path& file);

/// What happens to a file of that name that is there already.
enum class Existing { Replace, Refuse };

/// Gives the complete file @p temporary its name @p file, which is in the same folder.
/// @return 0, or the errno of what failed: EEXIST when there is a file of that name, perhaps for a moment only, and @p existing is Refuse
int publishFile(const std::filesystem::path& temporary, const std::filesystem::path& file, Existing existing);

}  // namespace contract
