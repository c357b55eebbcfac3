// A short, stable name for a long path.
#pragma once
#include <filesystem>
#include <string>

namespace launcher {

/// Returns 16 hexadecimal digits, the same for every spelling of the path (relative, absolute, through links).
std::string pathHash(const std::filesystem::path& path);

}  // namespace launcher
