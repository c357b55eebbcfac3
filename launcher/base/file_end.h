// Reads the last part of a file to which another process may be appending.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace launcher {

struct FileEnd {
    std::string text;
    bool isWhole = true;             ///< text begins at the requested offset; false when it was cut to mostBytes
    std::int64_t writtenUnixMs = 0;  ///< the file's modification time; 0 when there is no such file
    std::int64_t size = 0;           ///< of the whole file, in bytes
};

/// Reads from offset @p beginning to the end of a run folder's file, but at most the last @p mostBytes. A file that is missing
/// or cannot be opened, or a link, reads as empty.
FileEnd readFileEnd(const std::filesystem::path& file, std::int64_t beginning, std::int64_t mostBytes);

/// Reads at most @p mostBytes from offset @p beginning on. Such a file reads as empty here, too.
std::string readFilePart(const std::filesystem::path& file, std::int64_t beginning, std::int64_t mostBytes);

std::int64_t nowUnixMs();  ///< milliseconds since the Unix epoch, by the system clock

}  // namespace launcher
