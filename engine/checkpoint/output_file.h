// Files that are on the disk when they say so.
#pragma once
#include "engine/contract/checksum.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace engine {

/// A new file, written from its beginning to its end. Everything throws std::system_error naming it.
class OutputFile {
public:
    /// @param bytes that it will have; a disk without that much room says so here
    OutputFile(std::filesystem::path path, std::uint64_t bytes);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(const void* data, std::size_t bytes);
    void sync();  ///< what was written is on the disk when it returns
    std::string checksum() const { return m_checksum.text(); }  ///< of what was written

private:
    void writePortion(const std::byte* data, std::size_t bytes);
    [[noreturn]] void fail(int cause) const;

    std::filesystem::path m_path;
    int m_descriptor;
    std::uint64_t m_written = 0;
    contract::Checksum m_checksum;
};

/// Makes the names in a folder durable. @throws std::system_error naming it.
void syncFolder(const std::filesystem::path& folder);

}  // namespace engine
