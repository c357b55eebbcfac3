// Files written durably: their data are on the disk when sync() or finish() returns.
#pragma once
#include "engine/contract/formats/checksum.h"
#include "engine/contract/formats/temporary_name.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace contract {

/// A new file, written sequentially. All functions throw std::system_error naming the file.
class OutputFile {
public:
    /// @param bytes the final size, which is allocated now; when the disk is too full, this throws and leaves no file
    /// @param called what errors call the file; empty: @p path
    OutputFile(std::filesystem::path path, std::uint64_t bytes, std::filesystem::path called = {});
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(const void* data, std::size_t bytes);
    void sync();  ///< blocks until everything written so far is on the disk
    std::uint64_t written() const { return m_written; }       ///< bytes
    const Checksum& checksum() const { return m_checksum; }  ///< of the bytes written so far

private:
    void writeChunk(const std::byte* data, std::size_t bytes);
    [[noreturn]] void fail(int cause) const;

    std::filesystem::path m_path;
    std::filesystem::path m_called;
    int m_descriptor;
    std::uint64_t m_written = 0;
    Checksum m_checksum;
};

/// What a finished file survives.
enum class Durability {
    PowerFailure,  ///< the file is on the disk when finish() returns
    Process        ///< for files that can be recreated: the system writes it back later; a power failure may leave it empty
};

/// A file that appears under its final name only when finish() is called. Until then it has a temporary name in the same
/// folder; the destructor removes it when finish() was not called or failed.
/// All functions throw std::system_error; a previous file of that name is then still there.
class AtomicFile {
public:
    /// Parameters as for OutputFile. @param existing Refuse: finish() throws where there is a file of that name
    AtomicFile(std::filesystem::path file, std::uint64_t bytes, Existing existing = Existing::Replace);
    ~AtomicFile();

    OutputFile& output() { return m_output; }
    void finish(Durability durability = Durability::PowerFailure);  ///< call once, after the last write

private:
    std::filesystem::path m_file;
    std::filesystem::path m_unfinished;
    OutputFile m_output;
    Existing m_existing;
    bool m_isFinished = false;
};

/// Replaces the content of @p file: writes a temporary file in the same folder, fsyncs it, renames it and fsyncs the folder.
/// @throws std::system_error naming the file; the old content is then still there.
void writeFileAtomically(const std::filesystem::path& file, std::string_view content);

/// Appends @p lines, each with its newline, to a file of a run's folder, which is created if need be; other processes may append to
/// it as well. A newline comes first, and ends a line that a full disk or a killed process has left torn.
/// @throws std::system_error naming the file; a part of the lines may have been written.
void appendLines(const std::filesystem::path& file, std::string_view lines, Durability durability);

/// Makes the file names in a folder durable, where the file system supports it. @throws std::system_error naming the folder.
void syncFolder(const std::filesystem::path& folder);

}  // namespace contract
