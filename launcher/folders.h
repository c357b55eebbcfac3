// Creates folders and reports failures in one sentence.
#pragma once
#include <filesystem>

namespace launcher {

/// Creates the folder and its parents, for this user alone (mode 0700, as the XDG specification says for new folders in the
/// home); no-op when it exists. @throws std::runtime_error naming the folder and the reason.
void createFolder(const std::filesystem::path& folder);

/// Creates the folder when it is missing (its parent must exist) and restricts it to this user (mode 0700).
/// @throws std::runtime_error when it belongs to another user or is a link, so that another user could replace the sockets
/// in it.
void createPrivateFolder(const std::filesystem::path& folder);

}  // namespace launcher
