// Creates folders and reports failures in one sentence.
#pragma once
#include <filesystem>

namespace contract {

/// Creates the folder and its parents, for this user alone (mode 0700, as the XDG specification says for new folders in the
/// home); no-op when it exists. @throws std::runtime_error naming the folder and the reason.
void createFolder(const std::filesystem::path& folder);

}  // namespace contract
