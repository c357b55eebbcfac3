// A short, lasting name for a long path.
#pragma once
#include <filesystem>
#include <string>

namespace launcher {

/// 16 hexadecimal digits; the same for every spelling of the path (relative, through links).
std::string pathHash(const std::filesystem::path& path);

}  // namespace launcher
