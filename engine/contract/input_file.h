// Ranges of a file that somebody else wrote.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace contract {

/// An open file. Any number of threads may read it at once. Everything throws std::runtime_error naming it.
class InputFile {
public:
    /// Never waits: what is no regular file (a pipe, a folder) is refused.
    explicit InputFile(std::filesystem::path path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    const std::filesystem::path& path() const { return m_path; }
    std::uint64_t bytes() const { return m_bytes; }  ///< when it was opened
    int descriptor() const { return m_descriptor; }

    /// All of the range, or an error: a file that ends in it was cut after it was opened.
    void read(void* into, std::uint64_t bytes, std::uint64_t offset) const;

private:
    std::filesystem::path m_path;
    int m_descriptor;
    std::uint64_t m_bytes = 0;
};

}  // namespace contract
