// Reads whole untrusted files into memory, up to a size limit.
#pragma once
#include "engine/contract/formats/open_file.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace contract {

/// Returns the bytes of @p file.
/// @throws std::runtime_error naming the file when it is missing, is not a regular file (reading a pipe could block forever),
///         is larger than @p maxBytes, or cannot be read.
std::string fileContent(const std::filesystem::path& file, std::uint64_t maxBytes, Links links = Links::Follow);

/// Like fileContent(); nullopt when there is no such file.
std::optional<std::string> fileContentIfAny(const std::filesystem::path& file, std::uint64_t maxBytes, Links links = Links::Follow);

/// Returns the first @p count bytes, or the whole file when it is shorter. Throws like fileContent(), but has no size limit.
std::string fileBeginning(const std::filesystem::path& file, std::uint64_t count);

}  // namespace contract
