// Reads whole gzip-compressed text files.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>

namespace engine {

/// Returns the unpacked content of a gzip file.
/// @param maxBytes limit of the unpacked size, since a small file can unpack to more than the memory
/// @throws EngineError Failure naming @p file when it cannot be read, is not gzip, is truncated or damaged, or unpacks to more
///         than @p maxBytes.
std::string readGzipText(const std::filesystem::path& file, std::size_t maxBytes);

}  // namespace engine
