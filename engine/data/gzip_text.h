// Compressed text files, read whole.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>

namespace engine {

/// @throws EngineError Failure naming @p file when it cannot be read, is not gzip, is cut short or damaged,
///         or unpacks to more than @p mostBytes: a small file can unpack to all of memory.
std::string readGzipText(const std::filesystem::path& file, std::size_t mostBytes);

}  // namespace engine
