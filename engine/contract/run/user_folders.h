// Where the files of this user lie that are not part of a run.
#pragma once
#include <filesystem>

namespace contract {

/// The path in the environment variable @p name; empty when it is not set.
std::filesystem::path pathInEnvironment(const char* name);

/// The folder "atelier" in the one that @p variable names (XDG_CONFIG_HOME and the like), else in @p otherwise, below the user's home. Ignores a
/// relative path in the variable, as the XDG specification requires.
std::filesystem::path xdgFolder(const char* variable, const std::filesystem::path& otherwise);

/// The folder of the user's settings: config in ATELIER_HOME when that is set, else the XDG folder.
std::filesystem::path configFolder();

}  // namespace contract
