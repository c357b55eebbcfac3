// Reads ranges of an untrusted file.
#pragma once
#include "engine/contract/formats/open_file.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace contract {

/// A file open for reading. Any number of threads may call read() concurrently.
/// The constructor and read() throw std::runtime_error naming the file.
class InputFile {
public:
    /// Opens the file with openRegularFile(): never blocks, and throws when @p path is not a regular file.
    explicit InputFile(std::filesystem::path path, Links links = Links::Follow);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    const std::filesystem::path& path() const { return m_path; }
    std::uint64_t bytes() const { return m_bytes; }  ///< size when the file was opened
    int descriptor() const { return m_descriptor; }

    /// Reads exactly @p bytes bytes from @p offset. Throws when the file ends earlier, as it does when it was truncated
    /// after it was opened.
    void read(void* into, std::uint64_t bytes, std::uint64_t offset) const;

private:
    std::filesystem::path m_path;
    int m_descriptor;
    std::uint64_t m_bytes = 0;
};

}  // namespace contract
