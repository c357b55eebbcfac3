// Files that are on the disk when they say so.
#pragma once
#include "engine/contract/checksum.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace contract {

/// A new file, written from its beginning to its end. Everything throws std::system_error naming it.
class OutputFile {
public:
    /// @param bytes that it will have; a disk without that much room says so here, and no file is left
    OutputFile(std::filesystem::path path, std::uint64_t bytes);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(const void* data, std::size_t bytes);
    void sync();  ///< what was written is on the disk when it returns
    std::uint64_t written() const { return m_written; }         ///< bytes
    std::string checksum() const { return m_checksum.text(); }  ///< of what was written

private:
    void writePortion(const std::byte* data, std::size_t bytes);
    [[noreturn]] void fail(int cause) const;

    std::filesystem::path m_path;
    int m_descriptor;
    std::uint64_t m_written = 0;
    Checksum m_checksum;
};

/// What a finished file outlives.
enum class Durability {
    PowerFailure,  ///< it is on the disk
    Process        ///< the system writes it when it likes: for what can be made again; it may be empty after a power failure
};

/// A file that has its name from the moment it is whole and on the disk; until then it lies beside that name, and is
/// removed when it is given up. Everything throws std::system_error; what had the name before is then still there.
class AtomicFile {
public:
    AtomicFile(std::filesystem::path file, std::uint64_t bytes);  ///< as for OutputFile
    ~AtomicFile();

    OutputFile& output() { return m_output; }
    void finish(Durability durability = Durability::PowerFailure);  ///< nothing is written after it

private:
    std::filesystem::path m_file;
    std::filesystem::path m_unfinished;
    OutputFile m_output;
    bool m_isFinished = false;
};

/// Makes the names in a folder durable, where its file system can. @throws std::system_error naming it.
void syncFolder(const std::filesystem::path& folder);

}  // namespace contract
