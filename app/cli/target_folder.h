// The folders that commands write many files to.
#pragma once
#include <filesystem>

namespace app {

/// @throws Failure when @p folder holds files, unless @p isOverwriting, the value of the command's option --overwrite, is true.
void checkTargetFolder(const std::filesystem::path& folder, bool isOverwriting);

}  // namespace app
