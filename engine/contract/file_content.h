// Files from outside, whole and of a bounded size.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace contract {

/// The bytes of @p file.
/// @throws std::runtime_error naming the file when it is missing, no regular file (a pipe would wait for ever),
///         larger than @p mostBytes, or cannot be read.
std::string fileContent(const std::filesystem::path& file, std::uint64_t mostBytes);

/// The first @p count bytes, or all there are. @throws as fileContent().
std::string fileBeginning(const std::filesystem::path& file, std::uint64_t count);

}  // namespace contract
