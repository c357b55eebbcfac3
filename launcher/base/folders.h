// Creates folders and reports failures in one sentence.
#pragma once
#include "engine/contract/formats/new_folder.h"

#include <filesystem>

namespace launcher {

using contract::createFolder;

/// Creates the folder when it is missing (its parent must exist) and restricts it to this user (mode 0700).
/// @throws std::runtime_error when it belongs to another user or is a link, so that another user could replace the sockets
/// in it.
void createPrivateFolder(const std::filesystem::path& folder);

}  // namespace launcher
