// The file that a command writes to.
#pragma once
#include <string>

namespace app {

/// @throws Failure when @p file is there and may not be replaced: what is no regular file never may, a regular one only where @p isOverwriting, the value of
/// the command's option --overwrite, is true.
void checkTargetFile(const std::string& file, bool isOverwriting);

}  // namespace app
