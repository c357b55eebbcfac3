// Makes folders, with failures in one sentence.
#pragma once
#include <filesystem>

namespace launcher {

/// With its parents. @throws std::runtime_error naming the folder and the reason.
void createFolder(const std::filesystem::path& folder);

/// A folder that only this user can enter, its last part made if missing.
/// @throws std::runtime_error when it is somebody else's or a link: sockets in it could be taken over.
void createPrivateFolder(const std::filesystem::path& folder);

}  // namespace launcher
