// Writes gzip files for tests.
#pragma once
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

inline void writeGzip(const std::filesystem::path& file, const std::string& text)
{
    const gzFile gzip = gzopen(file.c_str(), "wb");
    const auto size = static_cast<unsigned>(text.size());
    const bool isWritten = gzip && (size == 0 || gzwrite(gzip, text.data(), size) == static_cast<int>(size));
    if (!gzip || gzclose(gzip) != Z_OK || !isWritten)
        throw std::runtime_error("cannot write " + file.string());
}

inline void writeBytes(const std::filesystem::path& file, const std::string& bytes)
{
    std::ofstream(file, std::ios::binary) << bytes;
}

inline std::string readBytes(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}
