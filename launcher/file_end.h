// The last part of a file that others append to.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace launcher {

struct FileEnd {
    std::string text;
    bool isWhole = true;             ///< it begins where a line begins
    std::int64_t writtenUnixMs = 0;  ///< 0 when there is no such file
    std::int64_t size = 0;
};

/// Bytes from @p beginning on, but at most the last @p mostBytes. A missing file is an empty one.
FileEnd readFileEnd(const std::filesystem::path& file, std::int64_t beginning, std::int64_t mostBytes);

std::int64_t nowUnixMs();

}  // namespace launcher
